/** The life of a message: accepted, due, attempted, and then delivered, retried or dead. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';
import type { Deliver } from './delivery.ts';
import { createLanes } from './flow-control.ts';
import { type Answer, type Callback, headerLists, type Message, type Publication } from './message.ts';
import { deduplicationKey, type PublishHeaders, readPublication } from './publication.ts';
import { defaultRetryDelay, parseRetryDelay, retryAfterMs } from './retry.ts';
import type { Store } from './store.ts';

const CONCURRENCY = 50;
const DEDUPLICATION_WINDOW_MS = 10 * 60_000;
const NON_RETRYABLE_STATUS = 489;

export interface Accepted {
  messageId: string;
  deduplicated?: true;
}

/** Callers flush the store before they answer: only then is a change safe from a kill. */
export interface Queue {
  /** Accepts a message unless it repeats one of the last ten minutes. */
  publish(publication: Publication, headers: PublishHeaders): Accepted;
  /** Accepts a message whatever came before it. */
  enqueue(publication: Publication, scheduleId?: string): Message;
  /** False when there is no such pending message. */
  cancel(messageId: string): boolean;
  /** Takes a dead letter off the list and sends its message again, with a new id and all its retries. */
  revive(dlqId: string): Message | undefined;
  /** Abandons the attempts under way; they stay pending for the next start. */
  close(): Promise<void>;
}

export function createQueue(
  store: Store,
  clock: Clock,
  deliver: Deliver,
  log: (line: string) => void,
): Queue {
  const messages = store.all('messages');
  const timers = new Map<string, () => void>();
  const underWay = new Set<Promise<void>>();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const lanes = createLanes(clock, CONCURRENCY, run);

  function schedule(message: Message): void {
    timers.get(message.messageId)?.();
    const whenDue = (): void => {
      timers.delete(message.messageId);
      lanes.add(message.messageId, message.flowControl);
    };
    if (message.dueAtMs <= clock.now()) whenDue();
    else timers.set(message.messageId, clock.at(message.dueAtMs, whenDue));
  }

  function run(messageId: string): Promise<void> {
    const attempted = attempt(messageId)
      .catch((error: unknown) => log(`qstash: ${messageId}: ${String(error)}`))
      .finally(() => underWay.delete(attempted));
    underWay.add(attempted);
    return attempted;
  }

  async function attempt(messageId: string): Promise<void> {
    // A destination must never hear of a message that a kill could still make disappear.
    await store.flush();
    const message = messages.get(messageId);
    if (message === undefined || stop.signal.aborted) return;
    const answer = await deliver(message, stop.signal);
    // Cancelled meanwhile, or abandoned by `close`: then the outcome counts for nothing.
    if (stop.signal.aborted || !messages.has(messageId)) return;
    settle(message, answer);
  }

  function settle(message: Message, answer: Answer): void {
    const outcome = `qstash: ${message.messageId} to ${message.url} answered ${answer.status || answer.body}`;
    const succeeded = answer.status >= 200 && answer.status < 300;
    const refused =
      answer.status === NON_RETRYABLE_STATUS && answer.headers['upstash-nonretryable-error']?.[0] === 'true';

    if (message.callback !== undefined) report(message.callback, message, answer);
    if (succeeded) {
      store.remove('messages', message.messageId);
    } else if (refused || message.retried >= message.maxRetries) {
      log(`${outcome}; it is dead`);
      bury(message, answer);
    } else {
      const waitMs = retryDelayMs(message, answer);
      log(`${outcome}; retry ${message.retried + 1} of ${message.maxRetries} in ${Math.round(waitMs)} ms`);
      const retry = { ...message, retried: message.retried + 1, dueAtMs: clock.now() + waitMs };
      store.put('messages', message.messageId, retry);
      schedule(retry);
    }
  }

  function retryDelayMs(message: Message, answer: Answer): number {
    const asked = retryAfterMs(answer.headers['retry-after']?.[0], clock.now());
    if (asked !== undefined) return asked;
    const delay = message.retryDelay === undefined ? defaultRetryDelay : parseRetryDelay(message.retryDelay);
    return delay(message.retried);
  }

  function bury(message: Message, answer: Answer): void {
    const dlqId = `dlq_${randomUUID()}`;
    store.remove('messages', message.messageId);
    store.put('deadLetters', dlqId, {
      dlqId,
      message,
      responseStatus: answer.status,
      responseHeaders: answer.headers,
      responseBodyBase64: answer.body.toString('base64'),
    });
    if (message.failureCallback !== undefined) report(message.failureCallback, message, answer, dlqId);
  }

  /** A callback is a message of its own, with its own retries. */
  function report(callback: Callback, message: Message, answer: Answer, dlqId?: string): void {
    const body = JSON.stringify({
      status: answer.status,
      header: answer.headers,
      body: answer.body.toString('base64'),
      retried: message.retried,
      maxRetries: message.maxRetries,
      sourceMessageId: message.messageId,
      url: message.url,
      method: message.method,
      sourceHeader: headerLists(message.headers),
      sourceBody: message.bodyBase64,
      notBefore: message.dueAtMs,
      createdAt: message.createdAtMs,
      scheduleId: message.scheduleId,
      callerIP: message.callerIp,
      dlqId,
    });
    enqueue(readPublication(callback.url, callback.headers, Buffer.from(body), message.callerIp));
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
    // They are in the order in which they expire.
    for (const [key, { expiresAtMs }] of store.all('deduplications')) {
      if (expiresAtMs > clock.now()) return;
      store.remove('deduplications', key);
    }
  }

  forgetExpiredDeduplications();
  for (const message of messages.values()) schedule(message);

  return {
    enqueue,
    publish(publication, headers) {
      forgetExpiredDeduplications();
      const key = deduplicationKey(headers, publication);
      const known = key === undefined ? undefined : store.all('deduplications').get(key);
      if (known !== undefined) return { messageId: known.messageId, deduplicated: true };
      const { messageId } = enqueue(publication);
      if (key !== undefined) {
        store.put('deduplications', key, { messageId, expiresAtMs: clock.now() + DEDUPLICATION_WINDOW_MS });
      }
      return { messageId };
    },
    cancel(messageId) {
      if (!messages.has(messageId)) return false;
      timers.get(messageId)?.();
      timers.delete(messageId);
      store.remove('messages', messageId);
      return true;
    },
    revive(dlqId) {
      const letter = store.all('deadLetters').get(dlqId);
      if (letter === undefined) return undefined;
      store.remove('deadLetters', dlqId);
      // Its delay and its time have passed.
      return enqueue({ ...letter.message, delayMs: 0, notBeforeMs: undefined }, letter.message.scheduleId);
    },
    async close() {
      lanes.close();
      stop.abort();
      for (const cancelTimer of timers.values()) cancelTimer();
      await Promise.all(underWay);
    },
  };
}
