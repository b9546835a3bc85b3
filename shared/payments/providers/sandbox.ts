// The sandbox: a provider that works offline and decides by rule, so that integrators can test their handling. The last
// two digits of an amount choose what happens; docs/sandbox.md has the table. Its memory is `private.sandbox_orders`,
// which stands for another company's database.

import { z } from 'zod';
import { equalInConstantTime } from '../../platform/auth/constant-time.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { jobMessagesOf, type Queue } from '../../platform/jobs/publish.ts';
import { selectNewJobs } from '../../platform/jobs/queries.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { waitUntil } from '../../platform/wait-until.ts';
import {
  type AcceptedCharge,
  type Artifact,
  type ChargeOrder,
  type Notification,
  type PaymentProvider,
  ProviderRefusal,
  ProviderSilence,
  type ProviderState,
} from './provider.ts';

export const SANDBOX = 'sandbox';

/** What the last two digits of an amount make the sandbox do. */
export const sandboxRules = {
  refuse: 13,
  failLater: 17,
  silentOnce: 19,
  slowBefore: 21,
  slowAfter: 23,
  notifyTwice: 27,
  notifyLate: 29,
} as const;

/** A service code whose documents the municipality turns down. */
export const FAILING_SERVICE_CODE = '99.99';
const SLOW_MS = 3000;
/** How much older a notification that comes too late is: older than any order that is still under way. */
const LATE_MS = 24 * 3600 * 1000;
const BANK_CODE = '999';

export interface SandboxOptions {
  database: Database;
  /** Announces what the sandbox will do later. */
  queue: Queue;
  log: Logger;
  /** Seconds until a payout settles. */
  settleSeconds: number;
  /** Public address below which the functions answer. */
  functionsUrl: string;
  /** What deliveries to our callback must carry; without it none is taken. */
  notificationToken: string | undefined;
}

interface OrderRow {
  provider_id: string;
  status: string;
  amount: number;
  fee: number;
  changed_at: Date;
  is_new?: boolean;
}

const rule = (amountMinor: number, name: keyof typeof sandboxRules) =>
  amountMinor % 100 === sandboxRules[name];
const pause = () => new Promise((resolve) => setTimeout(resolve, SLOW_MS));

/** 1 % and at least one minor unit for charges, 50 minor units for payouts. */
const chargeFee = (amountMinor: number) => Math.max(1, Math.round(amountMinor / 100));
const PAYOUT_FEE = 50;

export function createSandbox(options: SandboxOptions): PaymentProvider & SandboxControls {
  const { database, queue, log, settleSeconds, functionsUrl, notificationToken } = options;
  const session = { role: 'worker', tenantId: null } as const;
  const run = async (build: (sql: Sql) => Statement[]): Promise<OrderRow | undefined> =>
    (await database.transaction(session, build))[0]?.[0] as OrderRow | undefined;
  const find = (kind: string, reference: string) =>
    run((sql) => [sql`select * from app.sandbox_find(${kind}, ${reference})`]);
  const change = (kind: string, reference: string, from: string[], to: string) =>
    run((sql) => [sql`select * from app.sandbox_change(${kind}, ${reference}, ${from}, ${to})`]);

  /** Takes an order, with the notifications that will follow from it. */
  const accept = async (
    kind: string,
    reference: string,
    amount: number,
    method: string,
    status: string,
    later: Later[],
  ) => {
    if (rule(amount, 'refuse')) throw new ProviderRefusal('The sandbox refuses amounts ending in 13.');
    if (rule(amount, 'slowBefore')) await pause();
    const fee = kind === 'charge' ? chargeFee(amount) : PAYOUT_FEE;
    const results = await database.transaction(session, (sql) => [
      sql`select * from app.sandbox_accept(${kind}, ${reference}, ${amount}, ${method}, ${status}, ${fee})`,
      ...later.map(({ to, afterSeconds }) => notifyLater(sql, kind, reference, to, afterSeconds)),
      selectNewJobs(sql),
    ]);
    waitUntil(() => queue.publish(jobMessagesOf(results.at(-1)), log));
    const row = results[0]?.[0] as OrderRow | undefined;
    if (!row) throw new ProviderSilence('The sandbox lost an order.');
    if (row.is_new && rule(amount, 'silentOnce'))
      throw new ProviderSilence('The sandbox took the order and said nothing.');
    if (row.is_new && rule(amount, 'slowAfter')) await pause();
    return row;
  };

  const chargeOf = async (order: ChargeOrder, row: OrderRow): Promise<AcceptedCharge> => ({
    providerReference: row.provider_id,
    state: stateOf(row),
    artifact: await artifactOf(order, row.provider_id, functionsUrl),
  });

  return {
    name: SANDBOX,
    async createCharge(order) {
      const fails = order.method === 'card' && rule(order.amountMinor, 'failLater');
      const later = fails ? [{ to: 'failed', afterSeconds: settleSeconds }] : [];
      return chargeOf(
        order,
        await accept('charge', order.reference, order.amountMinor, order.method, 'open', later),
      );
    },
    async findCharge(order) {
      const row = await find('charge', order.reference);
      return row && chargeOf(order, row);
    },
    async cancelCharge(reference) {
      const row =
        (await change('charge', reference, ['open', 'failed'], 'canceled')) ??
        (await find('charge', reference));
      return row?.status !== 'paid';
    },
    async createPayout({ reference, amountMinor, kind }) {
      const end = rule(amountMinor, 'failLater') ? 'failed' : 'paid';
      const waits = kind === 'international' ? [{ to: 'incoming_payment_waiting', afterSeconds: 0 }] : [];
      const later = [...waits, { to: end, afterSeconds: settleSeconds }];
      const first = kind === 'international' ? 'created' : 'processing';
      const row = await accept('payout', reference, amountMinor, kind, first, later);
      return { providerReference: row.provider_id, state: stateOf(row) };
    },
    async findPayout(reference) {
      const row = await find('payout', reference);
      return row && { providerReference: row.provider_id, state: stateOf(row) };
    },
    async cancelPayout(reference) {
      const row =
        (await change('payout', reference, ['created', 'incoming_payment_waiting'], 'canceled')) ??
        (await find('payout', reference));
      return row?.status === 'canceled';
    },
    async issueTaxDocument({ reference, serviceCode, amountMinor }) {
      const fails = serviceCode === FAILING_SERVICE_CODE;
      const status = fails ? 'failed' : 'issued';
      await run((sql) => [
        sql`select * from app.sandbox_accept('tax_document', ${reference}, ${amountMinor}, ${serviceCode}, ${status}, 0)`,
      ]);
      return {
        status,
        reason: fails ? `The municipality does not know the service code ${serviceCode}.` : undefined,
      };
    },
    async cancelTaxDocument(reference) {
      await change('tax_document', reference, ['issued'], 'canceled');
      return true;
    },
    readNotifications(headers, body) {
      const token = headers.get('x-sandbox-token') ?? '';
      if (!notificationToken || !equalInConstantTime(token, notificationToken)) return undefined;
      const event = eventSchema().parse(JSON.parse(new TextDecoder().decode(body)));
      const { id, resource, reference, status, at, fee, available_on: availableOn } = event;
      const state = { status, at, feeMinor: fee, availableOn, reason: event.reason };
      return [{ eventId: id, resource, reference, state }];
    },
    async pay(reference) {
      const changed = await change('charge', reference, ['open'], 'paid');
      const row = changed ?? (await find('charge', reference));
      const notifications = row?.status === 'paid' ? reports('invoice', reference, row) : [];
      return { paidNow: changed !== undefined, notifications };
    },
    async settle(kind, reference, to) {
      const row =
        (await change(kind, reference, STATES_BEFORE[to] ?? [], to)) ?? (await find(kind, reference));
      if (row?.status !== to) return [];
      return reports(kind === 'charge' ? 'invoice' : 'payout', reference, row);
    },
  };
}

/** A notification as the sandbox sends it over HTTP; made when one comes. */
function eventSchema() {
  const line = z
    .string()
    .min(1)
    .max(255)
    .regex(/^\P{Cc}+$/u);
  return z.object({
    id: line,
    resource: z.enum(['invoice', 'payout']),
    reference: line,
    status: line,
    at: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
    fee: z.int().min(0).optional(),
    available_on: z.iso.date().optional(),
    reason: line.optional(),
  });
}

/** From which states an order gets to a state by itself. */
const STATES_BEFORE: Record<string, string[]> = {
  incoming_payment_waiting: ['created'],
  paid: ['created', 'incoming_payment_waiting', 'processing'],
  failed: ['open', 'created', 'incoming_payment_waiting', 'processing'],
};

/** The notifications of a change: one, or by rule the same one twice, or an older one that comes too late. */
function reports(resource: Notification['resource'], reference: string, row: OrderRow): Notification[] {
  const report: Notification = {
    eventId: `${row.provider_id}:${row.status}`,
    resource,
    reference,
    state: stateOf(row),
  };
  const amount = Number(row.amount);
  if (rule(amount, 'notifyTwice')) return [report, report];
  if (!rule(amount, 'notifyLate')) return [report];
  const status = resource === 'invoice' ? 'failed' : 'processing';
  const older = {
    ...report.state,
    status,
    at: new Date(row.changed_at.getTime() - LATE_MS),
    feeMinor: undefined,
  };
  return [report, { ...report, eventId: `${report.eventId}:late`, state: older }];
}

/** What only the sandbox can do: play the payer, and let time pass. */
export interface SandboxControls {
  /** The payer pays. Gives whether this call did it, and the notifications of a paid charge: none when there is none. */
  pay(reference: string): Promise<{ paidNow: boolean; notifications: Notification[] }>;
  /** An order moves on. Gives the notifications that follow: none when it no longer can. */
  settle(kind: string, reference: string, to: string): Promise<Notification[]>;
}

interface Later {
  to: string;
  afterSeconds: number;
}

function notifyLater(sql: Sql, kind: string, reference: string, to: string, afterSeconds: number): Statement {
  const payload = JSON.stringify({ kind, reference, to });
  return sql`
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (null, 'settle-in-sandbox', ${`${reference}:${to}`}, ${payload}::jsonb, now() + make_interval(secs => ${afterSeconds}))
    on conflict (name, key) do nothing`;
}

function stateOf(row: OrderRow): ProviderState {
  const paid = row.status === 'paid';
  return {
    status: row.status,
    at: row.changed_at,
    feeMinor: paid ? Number(row.fee) : undefined,
    // The day of the tenant's calendar on which it was paid, which the ledger takes when nothing else is said.
    availableOn: undefined,
    reason: row.status === 'failed' ? 'Refused by the sandbox.' : undefined,
  };
}

async function artifactOf(order: ChargeOrder, providerId: string, functionsUrl: string): Promise<Artifact> {
  const { method, amountMinor, expiresAt } = order;
  if (method === 'card')
    return { card: { checkoutUrl: `${functionsUrl}/payments/sandbox/checkout/${providerId}` } };
  // Loaded where a charge is made, and not with every function that knows the provider.
  const [{ pixPayload }, { boletoNumbers }] = await Promise.all([
    import('../artifacts/pix.ts'),
    import('../artifacts/boleto.ts'),
  ]);
  const artifact: Artifact = {};
  if (method !== 'pix') {
    const digits = [...providerId].map((char) => char.charCodeAt(0) % 10).join('');
    const freeField = digits.padStart(25, '0').slice(-25);
    const dueDate = expiresAt.toISOString().slice(0, 10);
    artifact.boleto = boletoNumbers({ bankCode: BANK_CODE, dueDate, amountMinor, freeField });
  }
  if (method !== 'boleto') {
    const payload = pixPayload({
      url: `sandbox.placar.dev/pix/${providerId}`,
      amountMinor,
      txid: providerId.replace(/[^0-9A-Za-z]/g, '').slice(0, 25),
      merchantName: 'PLACAR SANDBOX',
      merchantCity: 'SAO PAULO',
    });
    artifact.pix = { payload };
  }
  return artifact;
}
