// Verifies signatures of QStash, and reads the bodies of its messages.
import type { Receiver } from '@upstash/qstash';
import type { Context } from 'hono';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { BODY_DEADLINES, readBody } from '../request/body.ts';
import type { RequestVariables } from '../request/request-context.ts';

interface QstashDelivery {
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
const unsigned = (reason: 'missing' | 'bad_signature', cause?: unknown) =>
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

/** A job message contains only the row's id, and the sweep's body is empty. */
const BODY_LIMITS = { maxBytes: 4 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };

/** Returns the body if QStash signed it for this path. Throws 401 otherwise. */
export async function readVerifiedBody(
  c: Context<{ Variables: RequestVariables }>,
  path: string,
  { verify, functionsUrl }: { verify: Verify; functionsUrl: string },
): Promise<Uint8Array> {
  const { headers } = c.req.raw;
  // Rejects an unsigned request before reading its body.
  if (!headers.has('upstash-signature')) throw unsigned('missing');
  const body = await readBody(c.req.raw, BODY_LIMITS);
  await verify({ headers, body, url: `${functionsUrl}${path}` });
  const { requestContext } = c.var;
  requestContext.trusted = true;
  requestContext.trace?.trustCaller();
  return body;
}
