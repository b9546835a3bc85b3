// Scopes of API keys and access tokens.

/** Scopes of API keys: activity sync and payments. */
export const apiKeyScopes = ['default:sync', 'payments:read', 'payments:write'] as const;

/** Scopes of access tokens: records. */
export const recordsScopes = [
  'read:leads',
  'write:leads',
  'read:deals',
  'write:deals',
  'read:users',
  'write:users',
  'read:teams',
  'write:teams',
  'read:webhooks',
  'write:webhooks',
  'admin',
] as const;

/** Implies all other scopes of access tokens. */
export const ADMIN_SCOPE = 'admin';

/** Whether `owned` includes any one of `scopes`, or `admin`. */
export function allows(owned: readonly string[], scopes: readonly string[]): boolean {
  return owned.includes(ADMIN_SCOPE) || scopes.some((scope) => owned.includes(scope));
}

const known: ReadonlySet<string> = new Set(recordsScopes);

/**
 * Returns the scopes of a token for a client with the scopes `owned`. `requested` is separated by spaces; without it the client gets
 * all its scopes. Returns undefined if a requested scope is unknown or not allowed.
 */
export function grantScopes(owned: string[], requested = ''): string[] | undefined {
  const scopes = new Set(requested.split(' ').filter(Boolean));
  if (scopes.size === 0) return owned;
  const allowed = owned.includes(ADMIN_SCOPE) ? known : new Set(owned);
  return [...scopes].every((scope) => allowed.has(scope)) ? [...scopes] : undefined;
}

export type Scope = (typeof apiKeyScopes)[number] | (typeof recordsScopes)[number];
