// Requirements for every response, regardless of the request.
import { createInspector, type Inspector, type Operation } from '../../support/documents/documented.ts';
import type { Document } from '../../support/documents/json-schema.ts';
import { variantWords } from '../../support/records/variant-words.ts';
import type { Plan, Surface } from './plan.ts';
import type { WireReply } from './wire.ts';
import type { World } from './world.ts';

/** Faults of a response to a planned request; empty if there are none. */
export type Check = (plan: Plan, reply: WireReply) => string[];

/** Text that reveals internals of the service. */
const INTERNALS =
  /node_modules|file:\/\/\/(?!etc)|\bat \w+ \(|PostgresError|syntax error at|violates \w+ constraint|SQLSTATE/;
const RELATIVES_OF_VARIANTS: Record<string, string> = {
  leads: 'lead',
  deals: 'deal',
  opportunities: 'deal',
  users: 'user',
  teams: 'team',
  stages: 'stage',
  activities: 'activity',
};
/** Members of a single record that lists omit. */
const MORE_OF_ONE = ['activities', 'members'];

export function createCheck(
  surface: Surface,
  document: Document,
  operations: Operation[],
  world: World,
): Check {
  const inspect = createInspector(document);
  const failures = failuresOf(operations);
  const foreign = [...world.foreign.all(), world.marker].filter((id) => id.length > 20);
  return (plan, reply) => {
    const { status, headers, body } = reply;
    const { operation } = plan;
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
    const isOurs = headers.has('x-request-id');
    if (!isOurs) return plan.reach === 'server' && status < 500 ? [] : [`${status} without X-Request-Id`];
    const faults = [
      ...serverFaults(plan, status),
      ...documentFaults(inspect, failures, surface, plan, reply),
      ...(status >= 400 && INTERNALS.test(text) ? ['reveals internals'] : []),
      ...(plan.isRefused && !operation.isOpen && ![401, 404].includes(status)
        ? [`${status} for invalid credentials`]
        : []),
      ...(plan.kind === 'foreign' && /\{(?!external_id|code)/.test(operation.path) && status < 300
        ? ['reached data of another tenant']
        : []),
      ...(headers.has('x-injected') ? ['a header was injected'] : []),
    ];
    const sent = `${decoded(plan.request.target)}${plan.request.body?.toString('utf8') ?? ''}`.toLowerCase();
    // The request log contains the paths that were sent.
    const isEcho = operation.path.startsWith('/admin/requests');
    const leaked = foreign.find((id) => !isEcho && text.includes(id) && !sent.includes(id.toLowerCase()));
    return leaked ? [...faults, `another tenant's ${leaked}`] : faults;
  };
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** Documented 5xx responses: regions without a provider, and the sandbox's special amounts. */
function serverFaults({ surface, request, operation }: Plan, status: number): string[] {
  if (status < 500) return [];
  const body = request.body?.toString('utf8') ?? '';
  const mayLackProvider =
    /"country"|"type"|"currency"/.test(body) || operation.path.includes('tax-documents');
  if (surface === 'payments' && status === 501 && mayLackProvider) return [];
  const [, order] = /\/(invoices|payouts|refunds)$/.exec(operation.path) ?? [];
  // Without an amount, a refund is of all that is left, which may end with the digits of a rule.
  const hasRule = /13\b|19\b|1e|E/.test(body) || (order === 'refunds' && !body.includes('"amount"'));
  if (surface === 'payments' && status === 502 && request.method === 'POST' && order && hasRule) return [];
  return [`${status}`];
}

/** An operation with every failure of the interface: a request may be rejected before its operation is known. */
function failuresOf(operations: Operation[]): Operation {
  const all = operations
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => status >= '400');
  const [, any] = all.find(([status]) => status === '400') ?? [];
  const general = Object.fromEntries(['404', '405', '413', '415', '408'].map((status) => [status, any]));
  const responses = { ...general, ...Object.fromEntries(all) };
  const nothing = { parameters: [], body: undefined, example: undefined };
  return { name: 'any', method: 'GET', path: '', ...nothing, responses, isOpen: false };
}

function documentFaults(
  inspect: Inspector,
  failures: Operation,
  surface: Surface,
  plan: Plan,
  reply: WireReply,
): string[] {
  const { operation, request, variant, reach } = plan;
  const answer = request.method === 'HEAD' ? undefined : reply;
  if (!answer) return [];
  const isOther = request.method !== operation.method || reach !== 'operation';
  const isAddress = plan.how === 'nearly: path' || reach !== 'operation';
  const hasNeedlessBody = request.body !== undefined && operation.body === undefined;
  // A body that is not read resets the connection, which can cut off a long response.
  if (hasNeedlessBody && reply.status < 400 && String(reply.body).startsWith('no JSON')) return [];
  if (
    reply.status >= 400 &&
    (isOther || (isAddress && reply.status === 404) || (hasNeedlessBody && reply.status === 413))
  ) {
    // Only known callers get rate limit headers.
    return inspect(failures, reply).filter((fault) => !fault.startsWith('no header'));
  }
  if (reply.status < 400 && isOther) return [];
  if (reply.status === 401)
    return inspect(operation, reply).filter((fault) => !/no header X-RateLimit/.test(fault));
  if (surface !== 'v1' || reply.status >= 400) return inspect(operation, reply);
  const documented = /^\/(opportunities|pipeline)\b/.test(operation.path) ? 'b' : 'a';
  return variant === documented ? inspect(operation, reply) : namingFaults(plan, reply);
}

/** The records of a list, of a batch's results, or the single record. */
function recordsIn(data: WireReply['body']): Record<string, unknown>[] {
  if (Array.isArray(data)) return data;
  if (!Array.isArray(data?.results)) return [data ?? {}];
  return data.results.flatMap((result: { data?: Record<string, unknown> }) => result.data ?? []);
}

/** Whether a record uses the names of its variant, which the document describes only in prose. */
function namingFaults({ operation, variant }: Plan, { status, body }: WireReply): string[] {
  // Administration has the same names in every variant.
  if (operation.path.startsWith('/admin/')) return [];
  const { members } = variantWords[variant as keyof typeof variantWords];
  const [, first = '', , last = first] = operation.path.split('/');
  const isList = Array.isArray(body?.data);
  // The feed is the same in every variant, and has cursors.
  const paged = isList && variant !== 'a' && !/(stages|events)$/.test(operation.path);
  const faults: string[] = [];
  if (
    paged &&
    Object.keys(body.pagination ?? {})
      .sort()
      .join() !== 'page,per_page,total,total_pages'
  ) {
    faults.push(`a list of variant ${variant} without pagination`);
  }
  const converts = operation.path.endsWith('/convert');
  const kind = converts
    ? 'deal'
    : RELATIVES_OF_VARIANTS[
        last === 'members'
          ? 'users'
          : operation.path.endsWith('stages')
            ? 'stages'
            : last === 'activities'
              ? 'activities'
              : first
      ];
  const named = kind && members[kind as keyof typeof members]?.split(' ');
  if (!named || status === 204 || /stats|metrics|badges|points/.test(last) || (converts && variant !== 'b'))
    return faults;
  for (const record of recordsIn(body?.data)) {
    const names = Object.keys(record ?? {});
    const strange = names.filter((name) => !named.includes(name) && !MORE_OF_ONE.includes(name));
    const missing = named.filter((name) => !names.includes(name));
    if (strange.length + missing.length > 0)
      faults.push(`variant ${variant}: ${kind} +${strange} -${missing}`);
  }
  return faults;
}
