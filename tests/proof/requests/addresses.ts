// Addresses that no document lists, because integrators do not call them: those of payers, mailboxes, providers and QStash.
import type { FunctionName } from '../../../functions/manifest.ts';
import { nastyJson, nastyTexts } from './nasty.ts';
import type { Ports } from './plan.ts';
import type { Chance } from './random.ts';
import type { WireRequest } from './wire.ts';

interface Address {
  name: FunctionName;
  method: 'GET' | 'POST';
  /** Each `*` is replaced by a hostile value. */
  path: string;
}

const addresses: Address[] = [
  { name: 'payments', method: 'GET', path: '/files/*/*' },
  { name: 'payments', method: 'GET', path: '/files/0123456789abcdefABCDEF0123456789/*' },
  { name: 'payments', method: 'GET', path: '/sandbox/checkout/*' },
  { name: 'payments', method: 'GET', path: '/sandbox/checkout/sbx_0123456789abcdef' },
  { name: 'v1', method: 'GET', path: '/invitations/accept?token=*' },
  { name: 'v1', method: 'GET', path: '/invitations/accept?token=*&token=*' },
  { name: 'oauth', method: 'GET', path: '/.well-known/oauth-authorization-server' },
  { name: 'oauth', method: 'GET', path: '/*' },
  { name: 'callbacks', method: 'POST', path: '/jobs/*' },
  { name: 'callbacks', method: 'POST', path: '/sweep' },
  { name: 'callbacks', method: 'POST', path: '/providers/*' },
  { name: 'callbacks', method: 'POST', path: '/providers/sandbox' },
  { name: 'callbacks', method: 'POST', path: '/providers/asaas/*' },
  { name: 'callbacks', method: 'POST', path: '/providers/wise/pacc_01kdvc2v0ke5rtj6wm1s1mkb9d' },
  { name: 'callbacks', method: 'POST', path: '/providers/asaas/pacc_01kdvc2v0ke5rtj6wm1s1mkb9d/approvals' },
  { name: 'callbacks', method: 'GET', path: '/health' },
  { name: 'default-integration', method: 'GET', path: '/health?*' },
];
const statuses = ['paid', 'failed', 'canceled', 'settled', 'issued', '__proto__', ''];

/** A request to one of these addresses. `token` authenticates notifications of the sandbox. */
export function planAddress(chance: Chance, ports: Ports, token: string, references: string[]): WireRequest {
  const { name, method, path } = chance.of(addresses);
  const isNotification = path === '/providers/sandbox';
  const notification = {
    id: chance.of(['same', `n-${chance.below(2 ** 32)}`]),
    resource: chance.of(['invoice', 'payout', 'lead']),
    reference: chance.of(references),
    status: chance.of(statuses),
    at: chance.of(['2026-11-21T12:00:00Z', ...nastyTexts]),
  };
  const places = Object.keys(notification) as (keyof typeof notification)[];
  const mark = '\u0001mark';
  const spoiled = JSON.stringify({ ...notification, [chance.of(places)]: mark }).replace(
    JSON.stringify(mark),
    () => chance.of(nastyJson),
  );
  const fill = (text: string) => text.replaceAll('*', () => encodeURIComponent(chance.of(nastyTexts)));
  const headers: [string, string][] = [['Content-Type', 'application/json']];
  if (isNotification && !chance.oneIn(4)) headers.push(['X-Sandbox-Token', token]);
  if (name === 'callbacks' && chance.oneIn(2))
    headers.push(['Upstash-Signature', chance.of(['x', 'a.b.c', 'e30.e30.'])]);
  return {
    ...{ port: ports.functions[name] ?? 0, method, prefix: '', target: `/${name}${fill(path)}`, headers },
    body: method === 'POST' ? Buffer.from(chance.oneIn(3) ? chance.of(nastyJson) : spoiled) : undefined,
  };
}
