/** The life cycle of a message: accepted, due, attempted, and then delivered, retried or dead. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';
import type { Deliver } from './delivery.ts';
import { createStarter } from './flow-control.ts';
import type { Answer, Message, Publication } from './message.ts';
import { defaultRetryDelayMs, retryAfterMs } from './retry.ts';
import type { Store } from './store.ts';

const CONCURRENCY = 50;
const DEDUPLICATION_WINDOW_MS = 10 * 60_000;
const NON_RETRYABLE_STATUS = 489;

export interface Accepted {
  messageId: string;
  deduplicated?: true;
}

/** Callers must flush the store before they respond. Only then are changes durable. */
export interface Queue {
  /** Accepts a message unless it duplicates one of the last ten minutes. */
  publish(publication: Publication): Accepted;
  /** Accepts a message without deduplication. */
  enqueue(publication: Publication, scheduleId?: string): Message;
  /** Aborts attempts in flight. Their messages stay pending for the next start. */
  close(): Promise<void>;
}

export function createQueue(
  store: Store,
  clock: Clock,
  deliver: Deliver,
  log: (line: string) => void,
): Queue {
  const messages = store.all('messages');
  const cancelTimers = new Map<string, () => void>();
  const inFlight = new Set<Promise<void>>();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const starter = createStarter(CONCURRENCY, run);

  function schedule({ messageId, dueAtMs, flowControl }: Message): void {
    const whenDue = (): void => {
      cancelTimers.delete(messageId);
      starter.add(messageId, flowControl);
    };
    if (dueAtMs <= clock.now()) whenDue();
    else cancelTimers.set(messageId, clock.at(dueAtMs, whenDue));
  }

  function run(messageId: string): Promise<void> {
    const attempted = attempt(messageId)
      .catch((error: unknown) => log(`qstash: ${messageId}: ${String(error)}`))
      .finally(() => inFlight.delete(attempted));
    inFlight.add(attempted);
    return attempted;
  }

  async function attempt(messageId: string): Promise<void> {
    // A message must be durable before its destination sees it.
    await store.flush();
    const message = messages.get(messageId);
    if (message === undefined || stop.signal.aborted) return;
    const answer = await deliver(message, stop.signal);
    // Ignores the outcome if `close` aborted the attempt.
    if (!stop.signal.aborted) recordOutcome(message, answer);
  }

  function recordOutcome(message: Message, answer: Answer): void {
    const { messageId, url, retried, maxRetries } = message;
    const outcome = `qstash: ${messageId} to ${url} returned ${answer.status || answer.body}`;
    const isFinal =
      answer.status === NON_RETRYABLE_STATUS && answer.headers['upstash-nonretryable-error'] === 'true';

    if (answer.status >= 200 && answer.status < 300) {
      store.remove('messages', messageId);
    } else if (isFinal || retried >= maxRetries) {
      log(`${outcome}; moved to the dead letters`);
      const dlqId = `dlq_${randomUUID()}`;
      store.remove('messages', messageId);
      store.put('deadLetters', dlqId, {
        dlqId,
        message,
        responseStatus: answer.status,
        responseBody: answer.body,
      });
    } else {
      const waitMs = retryAfterMs(answer.headers['retry-after']) ?? defaultRetryDelayMs(retried);
      const retry = { ...message, retried: retried + 1, dueAtMs: clock.now() + waitMs };
      store.put('messages', messageId, retry);
      schedule(retry);
      log(`${outcome}; retry ${retry.retried} of ${maxRetries} in ${waitMs} ms`);
    }
  }

  function enqueue(publication: Publication, scheduleId?: string): Message {
    const nowMs = clock.now();
    const message: Message = {
      ...publication,
      messageId: `msg_${randomUUID().replaceAll('-', '')}`,
      createdAtMs: nowMs,
      dueAtMs: publication.notBeforeMs ?? nowMs + publication.delayMs,
      retried: 0,
      scheduleId,
    };
    store.put('messages', message.messageId, message);
    schedule(message);
    return message;
  }

  function forgetExpiredDeduplications(): void {
    // The map is in order of expiry.
    for (const [key, { expiresAtMs }] of store.all('deduplications')) {
      if (expiresAtMs > clock.now()) return;
      store.remove('deduplications', key);
    }
  }

  forgetExpiredDeduplications();
  for (const message of messages.values()) schedule(message);

  return {
    enqueue,
    publish(publication) {
      forgetExpiredDeduplications();
      const { deduplicationId: key } = publication;
      const known = key === undefined ? undefined : store.all('deduplications').get(key);
      if (known !== undefined) return { messageId: known.messageId, deduplicated: true };
      const { messageId } = enqueue(publication);
      if (key !== undefined) {
        store.put('deduplications', key, { messageId, expiresAtMs: clock.now() + DEDUPLICATION_WINDOW_MS });
      }
      return { messageId };
    },
    async close() {
      starter.close();
      stop.abort();
      for (const cancelTimer of cancelTimers.values()) cancelTimer();
      await Promise.all(inFlight);
    },
  };
}
