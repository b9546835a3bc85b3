// Verifies signatures of QStash.
import type { Receiver } from '@upstash/qstash';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';

export interface QstashDelivery {
  headers: Headers;
  body: Uint8Array;
  /** The public URL that it was sent to. */
  url: string;
}

/** Tolerance for a wrong clock. It can be large, because duplicate deliveries do no harm. */
const CLOCK_TOLERANCE_SECONDS = 300;

/** Throws 401 unless QStash signed exactly this URL and body. */
export type Verify = (delivery: QstashDelivery) => Promise<void>;

/** The 401 for requests that QStash did not sign. */
export const unsigned = (reason: 'missing' | 'bad_signature', cause?: unknown) =>
  new ApiError('unauthorized', 'Missing or invalid QStash signature.', { reason, cause });

type SigningKeys = Pick<Env<'callbacks'>, 'QSTASH_CURRENT_SIGNING_KEY' | 'QSTASH_NEXT_SIGNING_KEY'>;

export function createVerifier(env: SigningKeys): Verify {
  let receiver: Promise<Receiver> | undefined;
  const load = async () => {
    const { Receiver } = await import('@upstash/qstash');
    return new Receiver({
      currentSigningKey: env.QSTASH_CURRENT_SIGNING_KEY,
      nextSigningKey: env.QSTASH_NEXT_SIGNING_KEY,
    });
  };
  return async ({ headers, body, url }) => {
    const signature = headers.get('upstash-signature');
    if (!signature) throw unsigned('missing');
    receiver ??= load();
    try {
      await (await receiver).verify({
        signature,
        body: new TextDecoder().decode(body),
        url,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
    } catch (error) {
      throw unsigned('bad_signature', error);
    }
  };
}
