// Which scope opens which page. The API decides; the console only avoids offering what it would refuse.

/** `key` stands for an API key, whose scopes the console cannot read. */
export type Scope = string;
export const KEY: Scope = 'key';

/** Scopes that `admin` does not imply. */
const BY_NAME = [
  'read:payments',
  'manage:payments',
  'approve:payouts',
  'request:payouts',
  'manage:access',
  'manage:persons',
];

/** Scopes that also open the reads of what they manage. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  'read:settings': ['manage:gamification', 'manage:automations', 'manage:workspace'],
  'read:payments': ['manage:payments'],
  'read:payouts': ['read:payments', 'manage:payments', 'approve:payouts'],
};

/** Whether the scopes of the token and the key open what needs this scope. */
export function opens(owned: ReadonlySet<Scope>, scope: Scope): boolean {
  if (owned.has(scope)) return true;
  if (scope !== KEY && owned.has('admin') && !BY_NAME.includes(scope) && scope !== 'read:payouts')
    return true;
  return (WIDER[scope] ?? []).some((wider) => owned.has(wider));
}

/** A scope by the name that an administrator gives to a client. */
export const scopeName = (scope: Scope): string => (scope === 'read:payouts' ? 'read:payments' : scope);

/** Scopes that a client may get, by subject. */
export const clientScopes = [
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
  'read:settings',
  'read:audit',
  'manage:gamification',
  'manage:automations',
  'manage:workspace',
  ...BY_NAME,
] as const;

/** Scopes that an API key may get, with the scope of the token that may grant it. */
export const keyScopes: Readonly<Record<string, Scope>> = {
  'default:sync': 'manage:gamification',
  'payments:read': 'read:payments',
  'payments:write': 'manage:payments',
};
