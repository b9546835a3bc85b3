// X-Api-Variant: the naming variant that a request asks for instead of its client's own.
import { type Actor, type NamingVariant, namingVariants } from '../../shared/platform/access/context.ts';
import { ApiError } from '../../shared/platform/errors.ts';

const HEADER = 'X-Api-Variant';

/** The variant that the request asks for; nothing when it asks for none. Throws 400 when there is no such variant. */
export function requestedVariant(headers: Headers): NamingVariant | undefined {
  const asked = headers.get(HEADER)?.trim().toLowerCase();
  if (asked === undefined) return undefined;
  const known = namingVariants.find((one) => one === asked);
  if (known) return known;
  throw new ApiError('validation', 'Fix this header.', {
    details: [{ field: HEADER, message: `must be one of ${namingVariants.join(', ')}` }],
  });
}

/** The variant that a client speaks unless a request says otherwise. */
export const clientVariant = (actor: Actor): NamingVariant =>
  actor.type === 'oauth_client' ? actor.variant : 'a';
