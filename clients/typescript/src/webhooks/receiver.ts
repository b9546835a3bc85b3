// What every webhook endpoint does, whichever framework it is for.
import { OptionsError } from '../errors.ts';
import type { WebhookEvent } from '../events.ts';
import type { Variant } from '../records/types.ts';
import { BodyTooLarge } from './body.ts';
import { failure, PUBLIC_PREFIX, verifyWebhook, WebhookVerificationError, wrongCall } from './verify.ts';

/** Ids of processed events. Use a table or Redis if several processes receive webhooks. */
export interface SeenEvents {
  has(id: string): boolean | Promise<boolean>;
  add(id: string): unknown;
}

/** At least one of `secret`, `secrets` and `publicKey` is required. */
export interface WebhookOptions<V extends Variant = 'a'> {
  /** The webhook's secret. */
  secret?: string | undefined;
  /** The old and the new secret during a rotation. Empty ones are ignored. */
  secrets?: readonly string[] | undefined;
  /** The webhook's `public_key`, which starts with `whpk_`. */
  publicKey?: string | undefined;
  /**
   * Called with each verified event, and once for concurrent deliveries of one event. The response is 204 when it resolves, and 500 when
   * it rejects: then Placar sends the event again. It must resolve within 10 seconds.
   */
  onEvent: (event: WebhookEvent<V>) => unknown;
  /** Events that it has are not passed to `onEvent`. Default: the last 10 000 ids, in memory. */
  seen?: SeenEvents | undefined;
  /** Maximum size of a body in bytes. Default: 1 MiB. */
  maxBytes?: number | undefined;
  /** See `verifyWebhook`. Default: true. */
  requireTimestamp?: boolean | undefined;
}

/** The response to a delivery. `text` is empty for 204. */
export interface Outcome {
  status: 204 | 401 | 405 | 413 | 500;
  text: string;
}

export interface Delivery {
  method: string | undefined;
  /** The header `Content-Length`, if there is one. */
  length: string | null | undefined;
  headers: Headers | Record<string, string | string[] | undefined>;
  /** Reads the raw body. Throws `BodyTooLarge`, or `OptionsError` if the body was parsed before. */
  read(maxBytes: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** `WebhookOptions` of any variant. */
type ReceiverOptions = Omit<WebhookOptions, 'onEvent'> & { onEvent: (event: never) => unknown };

const REMEMBERED_IDS = 10_000;

/** @throws OptionsError if there is no secret, or `publicKey` is not a public key */
export function createReceiver(options: ReceiverOptions): (delivery: Delivery) => Promise<Outcome> {
  const { onEvent, seen = recentIds(), maxBytes = 1024 * 1024, requireTimestamp = true } = options;
  const secrets = secretsOf(options);
  const inFlight = new Map<string, Promise<void>>();

  async function processOnce(event: WebhookEvent): Promise<void> {
    if (await seen.has(event.id)) return;
    await onEvent(event as never);
    await seen.add(event.id);
  }
  /** Concurrent deliveries of an event share one call of `onEvent`, and its result. */
  function process(event: WebhookEvent): Promise<void> {
    const current = inFlight.get(event.id);
    if (current) return current;
    const started = processOnce(event).finally(() => inFlight.delete(event.id));
    inFlight.set(event.id, started);
    return started;
  }

  return async ({ method, length, headers, read }) => {
    if (method !== 'POST') return { status: 405, text: 'Method not allowed. Use POST.' };
    let event: WebhookEvent;
    try {
      if (Number(length) > maxBytes) throw new BodyTooLarge();
      const body = await read(maxBytes).catch(asVerificationError);
      event = await verifyWebhook({ headers, body }, secrets, { requireTimestamp });
    } catch (error) {
      if (error instanceof BodyTooLarge) {
        return { status: 413, text: `The body is larger than ${maxBytes} bytes.` };
      }
      if (error instanceof WebhookVerificationError) return { status: 401, text: error.code };
      throw error;
    }
    try {
      await process(event);
      return { status: 204, text: '' };
    } catch (error) {
      return handlerFailed(error);
    }
  };
}

/** The response tells the sender nothing about the error. */
export function handlerFailed(error: unknown): Outcome {
  console.error(error);
  return { status: 500, text: 'The webhook handler failed.' };
}

/** A body that the sender did not complete is not a verified event. */
function asVerificationError(error: unknown): never {
  if (error instanceof BodyTooLarge || error instanceof OptionsError) throw error;
  throw failure('body_invalid', 'The body is incomplete.');
}

function secretsOf({ secret, secrets, publicKey }: ReceiverOptions): string[] {
  if (publicKey && !publicKey.startsWith(PUBLIC_PREFIX)) {
    // As a secret, it would let everybody who knows the public key sign events.
    throw wrongCall(`publicKey must start with ${PUBLIC_PREFIX}`);
  }
  const given = [secret, secrets, publicKey].flat().filter((text): text is string => Boolean(text));
  if (given.length === 0) throw wrongCall('secret, secrets or publicKey is required');
  return given;
}

/** The memory of an endpoint without `seen`. */
export function recentIds(): SeenEvents {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id);
      for (const oldest of ids) {
        if (ids.size <= REMEMBERED_IDS) break;
        ids.delete(oldest);
      }
    },
  };
}
