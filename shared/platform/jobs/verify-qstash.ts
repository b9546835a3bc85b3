// Whether a delivery really comes from QStash.
import type { Receiver } from '@upstash/qstash';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';

export interface QstashDelivery {
  headers: Headers;
  body: Uint8Array;
  /** The public address it was sent to. */
  url: string;
}

/** How wrong this worker's clock may be. A delivery that comes twice does nothing twice. */
const CLOCK_TOLERANCE_SECONDS = 300;

/** Throws 401 unless the delivery is signed for this address and these very bytes. */
export type Verify = (delivery: QstashDelivery) => Promise<void>;

/** The 401 of what does not come from QStash. */
export const unsigned = (reason: 'missing' | 'bad_signature', cause?: unknown) =>
  new ApiError('unauthorized', 'This address takes signed deliveries of QStash alone.', { reason, cause });

export function createVerifier(env: Env<'callbacks'>): Verify {
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
