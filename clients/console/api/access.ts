// Which scopes a page needs. The API enforces them; the console only hides what the API would reject.
import { allows } from '../../../shared/platform/access/scopes.ts';

/** `key` stands for an API key, whose scopes the console cannot read. */
export type Scope = string;
export const KEY: Scope = 'key';
/** Stands for the API key in actions. */
export const KEY_WRITES: Scope = 'key:writes';

/** The scopes of a person that open what an API key opens. */
const PERSONS_SCOPES: Readonly<Record<Scope, Scope>> = {
  [KEY]: 'read:payments',
  [KEY_WRITES]: 'manage:payments',
};

/** Adds what an API key would open to the scopes of a person. */
export const withPayments = (owned: readonly Scope[]): Set<Scope> =>
  new Set([
    ...owned,
    ...Object.entries(PERSONS_SCOPES).flatMap(([key, scope]) => (owned.includes(scope) ? [key] : [])),
  ]);

/** Scopes that include read access. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  'read:standings': ['read:users'],
  'read:settings': ['manage:gamification', 'manage:automations', 'manage:workspace'],
  'read:payments': ['manage:payments'],
  'read:payouts': ['read:payments', 'manage:payments', 'approve:payouts'],
};

/** Whether the scopes of the token, or the API key, include this scope. */
export function opens(owned: ReadonlySet<Scope>, scope: Scope): boolean {
  return allows([...owned], [scope, ...(WIDER[scope] ?? [])]);
}

/** A scope by the name that an administrator gives to a client. */
export const scopeName = (scope: Scope): string => (scope === 'read:payouts' ? 'read:payments' : scope);

/** A scope by the name that a person has it. */
export const personsScopeName = (scope: Scope): string => PERSONS_SCOPES[scope] ?? scopeName(scope);

/** Scopes that an API key may get, with the scope of the token that may grant it. */
export const keyScopes: Readonly<Record<string, Scope>> = {
  'default:sync': 'manage:gamification',
  'payments:read': 'read:payments',
  'payments:write': 'manage:payments',
};
