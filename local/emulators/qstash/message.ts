/** What the emulator keeps about a message, a schedule and a dead letter, and how the API shows them. */

/** Where the outcome of a delivery is reported, with the headers that publish the report. */
export interface Callback {
  url: string;
  /** Publish headers (`upstash-...`), lower case. */
  headers: Record<string, string>;
}

export interface FlowControl {
  key: string;
  parallelism?: number | undefined;
  /** Deliveries that may start per period. */
  rate?: number | undefined;
  periodMs: number;
}

/** What a publisher asks for; a schedule makes a message of it at every run. */
export interface Publication {
  url: string;
  method: string;
  /** Sent to the destination as they are, lower case. */
  headers: Record<string, string>;
  bodyBase64: string;
  delayMs: number;
  /** Unix milliseconds; wins over the delay. */
  notBeforeMs?: number | undefined;
  maxRetries: number;
  retryDelay?: string | undefined;
  timeoutMs?: number | undefined;
  callback?: Callback | undefined;
  failureCallback?: Callback | undefined;
  flowControl?: FlowControl | undefined;
  labels: string[];
  callerIp: string;
}

export interface Message extends Publication {
  messageId: string;
  createdAtMs: number;
  /** Unix milliseconds of the next attempt. */
  dueAtMs: number;
  /** Retries made so far. */
  retried: number;
  scheduleId?: string | undefined;
}

export interface Schedule {
  scheduleId: string;
  cron: string;
  publication: Publication;
  createdAtMs: number;
  isPaused: boolean;
  nextRunAtMs: number;
  lastRunAtMs?: number | undefined;
}

/** What a destination answered. Status 0 means that there was no answer; the body then says why. */
export interface Answer {
  status: number;
  headers: Record<string, string[]>;
  body: Buffer;
}

export interface DeadLetter {
  dlqId: string;
  message: Message;
  responseStatus: number;
  responseHeaders: Record<string, string[]>;
  responseBodyBase64: string;
}

/** The message as `GET /v2/messages/:id` answers it; times in Unix milliseconds. */
export function renderMessage(message: Message): object {
  return {
    messageId: message.messageId,
    url: message.url,
    ...renderPublication(message),
    maxRetries: message.maxRetries,
    notBefore: message.dueAtMs,
    createdAt: message.createdAtMs,
    scheduleId: message.scheduleId,
  };
}

/** The dead letter as `GET /v2/dlq` answers it. */
export function renderDeadLetter(letter: DeadLetter): object {
  const { body, bodyBase64 } = renderBody(letter.responseBodyBase64);
  return {
    ...renderMessage(letter.message),
    dlqId: letter.dlqId,
    responseStatus: letter.responseStatus,
    responseHeader: letter.responseHeaders,
    responseBody: body,
    responseBodyBase64: bodyBase64,
  };
}

/** The schedule as `GET /v2/schedules` answers it; times in Unix milliseconds, the delay in seconds. */
export function renderSchedule(schedule: Schedule): object {
  const { publication } = schedule;
  return {
    scheduleId: schedule.scheduleId,
    cron: schedule.cron,
    createdAt: schedule.createdAtMs,
    destination: publication.url,
    ...renderPublication(publication),
    retries: publication.maxRetries,
    delay: publication.delayMs > 0 ? publication.delayMs / 1000 : undefined,
    isPaused: schedule.isPaused,
    nextScheduleTime: schedule.nextRunAtMs,
    lastScheduleTime: schedule.lastRunAtMs,
  };
}

/** Headers in the API's shape, where each has a list of values. */
export const headerLists = (headers: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

function renderPublication(publication: Publication): object {
  const { flowControl } = publication;
  return {
    method: publication.method,
    header: headerLists(publication.headers),
    ...renderBody(publication.bodyBase64),
    retryDelayExpression: publication.retryDelay,
    callback: publication.callback?.url,
    failureCallback: publication.failureCallback?.url,
    callerIP: publication.callerIp,
    label: publication.labels[0],
    labels: publication.labels.length > 0 ? publication.labels : undefined,
    flowControlKey: flowControl?.key,
    parallelism: flowControl?.parallelism,
    rate: flowControl?.rate,
    period: flowControl?.rate === undefined ? undefined : flowControl.periodMs / 1000,
  };
}

/** Text when the bytes are UTF-8, base64 otherwise. */
function renderBody(base64: string): { body?: string; bodyBase64?: string } {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64')) };
  } catch {
    return { bodyBase64: base64 };
  }
}
