// One request of a seed: its operation, validity, sender and bytes.
import type { FunctionName } from '../../../functions/manifest.ts';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import type { Operation } from '../../support/documents/documented.ts';
import { type Document, fitting } from '../../support/documents/json-schema.ts';
import { fittingBody, spoiledText } from './bodies.ts';
import { examplesOf } from './examples.ts';
import { nastyTexts } from './nasty.ts';
import type { Chance } from './random.ts';
import { type Reach, type Trick, tricks } from './tricks.ts';
import type { WireRequest } from './wire.ts';
import type { World } from './world.ts';

export type Surface = Extract<FunctionName, 'default-integration' | 'payments' | 'v1' | 'oauth'>;

/** The target of requests: a function itself, or the gateway in front of it. */
export interface Ports {
  functions: Record<string, number>;
  gateway: number;
}

export interface Interface {
  surface: Surface;
  document: Document;
  operations: Operation[];
}

/** `foreign` is a valid request about another tenant's records. */
export type Kind = 'valid' | 'near' | 'hostile' | 'foreign' | 'stranger';

export interface Plan {
  surface: Surface;
  operation: Operation;
  kind: Kind;
  /** The change to the request, or its sender, for the list of findings. */
  how: string;
  reach: Reach;
  /** Its credentials must be rejected. */
  isRefused: boolean;
  /** The expected variant of the response. */
  variant: string;
  request: WireRequest;
}

const kinds: readonly Kind[] = [
  ...(Array(8).fill('valid') as Kind[]),
  ...(Array(6).fill('near') as Kind[]),
  ...(Array(4).fill('hostile') as Kind[]),
  'foreign',
  'stranger',
];

export function planRequest(
  chance: Chance,
  { surface, document, operations }: Interface,
  world: World,
  ports: Ports,
): Plan {
  const operation = chooseOperation(chance, operations);
  const kind = chance.of(kinds);
  const things = kind === 'foreign' ? world.foreign : world.own;
  const isNear = kind === 'near';
  // `near` requests have one invalid part.
  const part = isNear ? chance.of(['body', 'body', 'body', 'query', 'path'] as const) : undefined;
  const params = things.params(chance, operation.path);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(part === 'path' ? chance.of(nastyTexts) : (params[name] ?? '')),
  );
  const query = queryOf(chance, document, operation, part === 'query', (text) => things.fill(chance, text));
  const body = bodyText(chance, document, operation, examplesOf(surface, operation, world), part === 'body');
  const request: WireRequest = {
    port: ports.functions[surface] ?? 0,
    method: operation.method,
    prefix: '',
    target: `/${surface}${path}${query}`,
    headers: [],
    body: body === undefined ? undefined : Buffer.from(things.fill(chance, body)),
  };
  if (chance.oneIn(5)) Object.assign(request, { port: ports.gateway, prefix: '/functions/v1' });
  if (request.body) request.headers.push(['Content-Type', 'application/json']);
  if (surface === 'oauth')
    request.headers.push(['CF-Connecting-IP', `10.${chance.below(255)}.${chance.below(255)}.7`]);
  if (surface === 'payments' && operation.method === 'POST') {
    request.headers.push(['Idempotency-Key', `${chance.below(2 ** 32)}-${chance.below(2 ** 32)}`]);
  }
  const asked = surface === 'v1' && chance.oneIn(3) ? chance.of(['a', 'b', 'c']) : undefined;
  if (asked) request.headers.push(['X-Api-Variant', asked]);
  const trick = kind === 'hostile' ? chance.of(tricks) : undefined;
  trick?.apply(request, chance, world);
  const caller = kind === 'stranger' ? 'stranger' : 'good';
  const { who, own } = authorize(chance, surface, request, world, caller);
  const variant = speaks(request, own);
  const isRefused = kind === 'stranger' && surface !== 'oauth' && !mayComeIn(surface, who);
  return {
    surface,
    operation,
    kind,
    how: howOf(trick, who, part),
    reach: trick?.reach ?? 'operation',
    isRefused,
    variant,
    request,
  };
}

const moments = [
  '2026-01-01',
  '2026-11-21T12:00:00Z',
  '2099-12-31',
  '1970-01-01',
  '2026-03-01T00:00:00.5-03:00',
];

const howOf = (trick: Trick | undefined, who: string, part: string | undefined): string =>
  trick?.name ?? (part ? `nearly: ${part}` : who);

/** Operations that create records are more frequent than those that delete them, so that records exist. */
function chooseOperation(chance: Chance, operations: Operation[]): Operation {
  const operation = chance.of(operations);
  if (operation.method !== 'DELETE' || chance.oneIn(3)) return operation;
  const [, first = ''] = operation.path.split('/');
  return operations.find(({ method, path }) => method === 'POST' && path === `/${first}`) ?? operation;
}

/** The variant of the response: the header's, else the client's. Some paths do not exist in variant A. */
function speaks({ headers, target }: WireRequest, own: string): string {
  const asked = headers.filter(([name]) => name.toLowerCase() === 'x-api-variant').at(-1)?.[1] ?? '';
  const variant = /^[abc]$/i.test(asked) ? asked.toLowerCase() : own;
  return variant === 'a' && /^\/v1\/(opportunities|pipeline)\b/.test(target) ? 'b' : variant;
}

function queryOf(
  chance: Chance,
  document: Document,
  operation: Operation,
  isNasty: boolean,
  fill: (text: string) => string,
): string {
  const parameters = operation.parameters.filter((one) => one.in === 'query');
  const pairs: string[] = [];
  const add = (name: string, value: string) =>
    pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`);
  for (const { name, schema } of parameters) {
    if (!chance.oneIn(4)) continue;
    const kind = /^(owner|team|stage|deal)_id$/.exec(name)?.[1];
    if (kind) add(name, fill(`{${kind === 'owner' ? 'user' : kind}}`));
    else if (/(_after|_before|_date|_on\[.*|^created\[.*)$/.test(name)) add(name, chance.of(moments));
    else add(name, String(chance.sample(fitting(document, schema))));
  }
  if (isNasty && parameters.length > 0) {
    const { name } = chance.of(parameters);
    for (let times = chance.oneIn(5) ? 2 : 1; times > 0; times--) add(name, chance.of(nastyTexts));
  }
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function bodyText(
  chance: Chance,
  document: Document,
  { method, body: schema }: Operation,
  examples: object[],
  isNear: boolean,
): string | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  if (!schema) return chance.of([undefined, undefined, '{}', '{"x":1}']);
  const body = fittingBody(chance, document, schema, examples);
  return isNear ? spoiledText(chance, body) : JSON.stringify(body);
}

/** Valid credentials, including those without the required scope. */
const GOOD = ['good', 'syncing', 'reading', 'usedUp', 'a', 'b', 'c', 'webhooks', 'manager'];
const mayComeIn = (surface: Surface, who: string) =>
  GOOD.includes(who) || (who === 'bearer' && surface === 'default-integration');

/** Adds credentials. Returns their owner and the variant of the client. */
function authorize(
  chance: Chance,
  surface: Surface,
  request: WireRequest,
  { keys, tokens }: World,
  caller: 'good' | 'stranger',
): { who: string; own: string } {
  const put = (value: string) => request.headers.push(['Authorization', value]);
  if (surface === 'oauth') return { who: caller, own: 'a' };
  if (surface === 'v1') {
    const who =
      caller === 'good'
        ? chance.of(
            request.target.startsWith('/v1/admin/') ? ['manager', 'manager', 'b'] : ['a', 'a', 'b', 'c'],
          )
        : chance.of([...Object.keys(tokens), 'none', 'basic']);
    if (who === 'basic') put('Basic YTpi');
    else if (who !== 'none') put(`${chance.oneIn(9) ? 'bearer' : 'Bearer'} ${tokens[who]}`);
    return { who, own: who === 'b' || who === 'c' ? who : 'a' };
  }
  const ways = ['none', 'bearer', 'stale', 'early', 'signature', 'upper', 'lower case', 'garbage'];
  const who = caller === 'good' ? 'good' : chance.of([...Object.keys(keys), ...ways]);
  const apiKey = keys[who] ?? keys.good ?? '';
  const skew = who === 'stale' ? -400 : who === 'early' ? 400 : 0;
  const timestamp = String(Math.floor(Date.now() / 1000) + skew);
  const { method, target, body } = request;
  const signed = signRequest(apiKey, { timestamp, method, target, body: body ?? Buffer.alloc(0) });
  const signature = who === 'signature' ? signed.replace(/^./, (c) => (c === '0' ? '1' : '0')) : signed;
  const isUpper = who === 'upper';
  const header = `SVC-SIGN-V1 ${apiKey}:${timestamp}:${isUpper ? signature.toUpperCase() : signature}`;
  if (who === 'bearer') put(`Bearer ${apiKey}`);
  else if (who === 'lower case') put(header.replace('SVC-SIGN-V1', 'svc-sign-v1'));
  else if (who === 'garbage')
    put(chance.of(['SVC-SIGN-V1', 'SVC-SIGN-V1 ::', 'x', `SVC-SIGN-V1 ${'x'.repeat(3000)}`]));
  else if (who !== 'none') put(header);
  return { who, own: 'a' };
}
