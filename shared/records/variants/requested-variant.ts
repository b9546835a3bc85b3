// The header X-Api-Variant, which selects a naming variant other than the client's default.
import {
  type Actor,
  clientOf,
  type NamingVariant,
  namingVariants,
  personOf,
} from '../../platform/access/context.ts';
import { invalid } from '../../platform/errors.ts';

const HEADER = 'X-Api-Variant';

/** The variant in the request's header; undefined if there is none. Throws `validation` for an unknown variant. */
export function requestedVariant(headers: Headers): NamingVariant | undefined {
  const requested = headers.get(HEADER)?.trim().toLowerCase();
  if (requested === undefined) return undefined;
  const known = namingVariants.find((variant) => variant === requested);
  if (known) return known;
  throw invalid('header', HEADER, `must be one of ${namingVariants.join(', ')}`);
}

/** The client's default variant. */
export const clientVariant = (actor: Actor): NamingVariant =>
  actor.type === 'oauth_client' ? actor.variant : 'a';

/** Idempotency keys belong to a client or person, and to a variant: others cannot replay the response. */
export const idempotencyKeyOwnerOf = ({ actor, headers }: { actor: Actor; headers: Headers }) => ({
  scope: clientOf(actor) ?? `person:${personOf(actor)}`,
  others: [requestedVariant(headers) ?? clientVariant(actor)],
});
