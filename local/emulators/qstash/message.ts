/** Messages, schedules and dead letters, and their JSON in the API. */

import type { IncomingHttpHeaders } from 'node:http';

/** Maximum concurrent deliveries of a key. */
export interface FlowControl {
  key: string;
  parallelism: number;
}

/** A publish request. Schedules create a message from it on each run. */
export interface Publication {
  url: string;
  method: string;
  /** Sent to the destination unchanged. Keys in lower case. */
  headers: Record<string, string>;
  bodyBase64: string;
  delayMs: number;
  /** Unix milliseconds. Overrides the delay. */
  notBeforeMs?: number | undefined;
  maxRetries: number;
  deduplicationId?: string | undefined;
  flowControl?: FlowControl | undefined;
}

export interface Message extends Publication {
  messageId: string;
  createdAtMs: number;
  /** Unix milliseconds of the next attempt. */
  dueAtMs: number;
  /** Number of retries so far. */
  retried: number;
  scheduleId?: string | undefined;
}

export interface Schedule {
  scheduleId: string;
  cron: string;
  publication: Publication;
  createdAtMs: number;
  nextRunAtMs: number;
}

/** Response of a destination. Status 0 means no response; the body then has the reason. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface DeadLetter {
  dlqId: string;
  message: Message;
  /** As in {@link Answer}. */
  responseStatus: number;
  responseBody: string;
}

/** A dead letter in the format of `GET /v2/dlq`, with times in Unix milliseconds. */
export function renderDeadLetter({ message, ...letter }: DeadLetter): object {
  return {
    ...letter,
    messageId: message.messageId,
    url: message.url,
    ...renderPublication(message),
    maxRetries: message.maxRetries,
    notBefore: message.dueAtMs,
    createdAt: message.createdAtMs,
    scheduleId: message.scheduleId,
  };
}

/** A schedule in the format of `GET /v2/schedules/:id`, with times in Unix milliseconds. */
export function renderSchedule({ publication, ...schedule }: Schedule): object {
  return {
    scheduleId: schedule.scheduleId,
    cron: schedule.cron,
    createdAt: schedule.createdAtMs,
    destination: publication.url,
    ...renderPublication(publication),
    retries: publication.maxRetries,
    isPaused: false,
    nextScheduleTime: schedule.nextRunAtMs,
  };
}

const renderPublication = ({ method, headers, bodyBase64, flowControl }: Publication): object => ({
  method,
  header: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  body: Buffer.from(bodyBase64, 'base64').toString(),
  flowControlKey: flowControl?.key,
  parallelism: flowControl?.parallelism,
});
