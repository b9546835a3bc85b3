/** What the emulator keeps about a message, a schedule and a dead letter, and how the API shows them. */

import type { IncomingHttpHeaders } from 'node:http';

/** How many messages of a key are delivered at once. */
export interface FlowControl {
  key: string;
  parallelism: number;
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
  deduplicationId?: string | undefined;
  flowControl?: FlowControl | undefined;
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
  nextRunAtMs: number;
}

/** What a destination answered. Status 0 means that there was no answer; the body then says why. */
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

/** The dead letter as `GET /v2/dlq` answers it; times in Unix milliseconds. */
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

/** The schedule as `GET /v2/schedules/:id` answers it; times in Unix milliseconds. */
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
