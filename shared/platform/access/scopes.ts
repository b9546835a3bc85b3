// What keys and tokens can be for.

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

/** Implies all others. */
export const ADMIN_SCOPE = 'admin';

/** Whether somebody with `owned` may do what any one of `scopes` allows; `admin` allows everything. */
export function allows(owned: readonly string[], scopes: readonly string[]): boolean {
  return owned.includes(ADMIN_SCOPE) || scopes.some((scope) => owned.includes(scope));
}

const known: ReadonlySet<string> = new Set(recordsScopes);

/**
 * The scopes of a token for a client that has `owned` and asks for `asked`, separated by spaces: all that it has when it
 * asks for none. Undefined when it asks for one that it may not have.
 */
export function grantScopes(owned: string[], asked = ''): string[] | undefined {
  const wanted = new Set(asked.split(' ').filter(Boolean));
  if (wanted.size === 0) return owned;
  const allowed = owned.includes(ADMIN_SCOPE) ? known : new Set(owned);
  return [...wanted].every((scope) => allowed.has(scope)) ? [...wanted] : undefined;
}

export type Scope = (typeof apiKeyScopes)[number] | (typeof recordsScopes)[number];
