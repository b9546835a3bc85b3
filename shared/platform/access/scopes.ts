// Scopes of API keys and access tokens.

/** Scopes of API keys: activity sync and payments. */
export const apiKeyScopes = ['default:sync', 'payments:read', 'payments:write'] as const;

/** Scopes of access tokens that read and write records. */
const dataScopes = [
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
  'read:standings',
] as const;

/** Scopes of administration that `admin` includes. */
const workspaceScopes = [
  'read:settings',
  'read:audit',
  'manage:gamification',
  'manage:automations',
  'manage:workspace',
] as const;

/** Scopes over money, credentials and persons. A client has only those that it was given by name. */
const namedScopes = [
  'read:payments',
  'manage:payments',
  'approve:payouts',
  'request:payouts',
  'manage:access',
  'manage:persons',
] as const;

/** Whether a scope is one of API keys; the others are of access tokens. */
export const isApiKeyScope = (scope: Scope): boolean => apiKeyScopes.some((one) => one === scope);

/** Whether a scope is one of access tokens. */
export const isTokenScope = (scope: Scope): boolean => !isApiKeyScope(scope);

/** Includes the scopes of records and most of those of administration. */
const ADMIN_SCOPE = 'admin';

/** Scopes that only persons have. */
export const personScopes = ['self'] as const;

/** Names of usual sets of scopes of persons (`private.preset_scopes`). */
export const presets = ['seller', 'manager', 'finance', 'admin'] as const;

/** Scopes of access tokens. */
export const recordsScopes = [...dataScopes, ADMIN_SCOPE, ...workspaceScopes, ...namedScopes] as const;

const includedInAdmin: ReadonlySet<string> = new Set([ADMIN_SCOPE, ...dataScopes, ...workspaceScopes]);

/** Whether `owned` includes any one of `scopes`, by name or by `admin`. */
export const allows = (owned: readonly string[], scopes: readonly string[]): boolean =>
  allowedOf(owned, scopes).length > 0;

/** The `scopes` that `owned` includes, by name or by `admin`. */
export function allowedOf<S extends string>(owned: readonly string[], scopes: readonly S[]): S[] {
  const isAdmin = owned.includes(ADMIN_SCOPE);
  return scopes.filter((scope) => owned.includes(scope) || (isAdmin && includedInAdmin.has(scope)));
}

/** The scopes of which a client needs one if it needs one of `scopes`. */
export const withAdmin = (scopes: readonly Scope[]): readonly Scope[] =>
  scopes.some((scope) => includedInAdmin.has(scope)) ? [...scopes, ADMIN_SCOPE] : scopes;

/**
 * Returns the scopes of a token for a client with the scopes `owned`. `requested` is separated by spaces; without it the client gets
 * all its scopes. Returns `missing` instead, the first requested scope that is unknown or not allowed.
 */
export function grantScopes(owned: string[], requested = ''): { scopes: string[] } | { missing: string } {
  const scopes = [...new Set(requested.split(' ').filter(Boolean))];
  const missing = scopes.find((scope) => !allows(owned, [scope]));
  if (missing !== undefined) return { missing };
  return { scopes: scopes.length > 0 ? scopes : owned };
}

/** The scopes of a client with the scopes `owned` that only read. */
export const readScopesOf = (owned: readonly string[]): string[] =>
  recordsScopes.filter((scope) => scope.startsWith('read:') && allows(owned, [scope]));

export type Scope = (typeof apiKeyScopes | typeof recordsScopes | typeof personScopes)[number];
