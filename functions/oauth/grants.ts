// What a token is for and what it allows: parameters that all grants have in common.
import type { ResourceServer, TokenIssuer } from '../../shared/platform/access/access-tokens.ts';
import { grantScopes, readScopesOf, recordsScopes } from '../../shared/platform/access/scopes.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { TokenParameters } from './parameters.ts';

/** Reads `audience` or `resource`, which mean the same. Throws `invalid_target`. */
export function readAudience(issuer: TokenIssuer, { audience, resource }: TokenParameters): string {
  const differs = audience && resource && audience !== resource;
  const found = differs ? undefined : issuer.audienceOf(audience ?? resource);
  if (found) return found;
  const message = differs
    ? 'audience and resource differ. Send one of them.'
    : 'Unknown audience. Send the base URL of the API or the URL of the MCP server, or omit the parameter.';
  throw new ApiError('invalid_target', message, { reason: 'invalid_target' });
}

/** A token for the MCP server has only the scopes that read, unless others are requested by name. Throws `invalid_scope`. */
export function scopesFor(
  acceptor: ResourceServer,
  owned: string[],
  requested: string | undefined,
  whose: 'This client has' | 'You have' = 'This client has',
): string[] {
  if (acceptor === 'mcp' && !requested?.trim()) {
    const scopes = readScopesOf(owned);
    if (scopes.length > 0) return scopes;
    throw invalidScope(`${whose} no scope that reads. Request the scopes that you need by name.`);
  }
  const granted = grantScopes(owned, requested);
  if ('scopes' in granted) return granted.scopes;
  throw invalidScope(
    recordsScopes.some((scope) => scope === granted.missing)
      ? whose === 'You have'
        ? `You do not have the scope ${granted.missing}.`
        : `This client does not have the scope ${granted.missing}.`
      : 'A requested scope is unknown. Separate scopes by spaces.',
  );
}

const invalidScope = (message: string) => new ApiError('invalid_scope', message, { reason: 'invalid_scope' });
