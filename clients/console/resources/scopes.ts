// Descriptions of the scopes.
import { type Message, t } from '../kit/language.ts';

const meanings: Readonly<Record<string, Message>> = {
  'read:leads': 'see leads',
  'write:leads': 'change leads',
  'read:deals': 'see deals',
  'write:deals': 'change deals',
  'read:users': 'see users and standings',
  'write:users': 'invite and change users',
  'read:teams': 'see teams',
  'write:teams': 'change teams',
  'read:webhooks': 'see webhooks',
  'write:webhooks': 'change webhooks',
  self: 'see and change your own data',
  'read:standings': 'see the standings',
  admin: 'everything but payments, access and persons',
  'read:settings': 'see the setup',
  'read:audit': 'see requests and changes',
  'manage:gamification': 'set up missions and points',
  'manage:automations': 'set up automations',
  'manage:workspace': 'change settings and stages',
  'read:payments': 'see payments',
  'manage:payments': 'connect providers, adjust the balance',
  'approve:payouts': 'approve and reject payouts',
  'request:payouts': 'request payouts',
  'manage:access': 'give access to others',
  'manage:persons': 'export and erase persons',
  'default:sync': 'report activities',
  'payments:read': 'see payments',
  'payments:write': 'create payments',
};

/** Empty for scopes that the console does not know. */
export function scopeMeaning(scope: string): string {
  const meaning = Object.hasOwn(meanings, scope) ? meanings[scope] : undefined;
  return meaning ? t(meaning) : '';
}
