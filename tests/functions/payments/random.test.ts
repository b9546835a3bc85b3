// Random sequences of payment events, compared with a simple model: states, ledger, events, and the provider's records.
import { Client } from '@upstash/qstash';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { jobUrl } from '../../../shared/platform/jobs/publish.ts';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import { createPayTenant, paidInvoice } from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';
import { eventsOf, ledgerOf, notify, ordersOf } from '../../support/payments/sandbox.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

type Operation =
  | { do: 'invoice'; method: string; amount: number }
  | { do: 'payout'; kind: 'pix' | 'transfer'; amount: number }
  | {
      do: 'pay' | 'payLate' | 'cancel' | 'expire' | 'cancelPayout' | 'bounce' | 'repeat' | 'replay';
      at: number;
    }
  | { do: 'stale'; at: number; status: string }
  | { do: 'adjust'; amount: number };

const at = fc.nat(30);
const amount = fc
  .tuple(fc.integer({ min: 1, max: 5000 }), fc.constantFrom(0, 1, 13, 17, 19, 27, 29, 99))
  .map(([hundreds, end]) => hundreds * 100 + end);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    do: fc.constant('invoice' as const),
    method: fc.constantFrom('pix', 'boleto', 'bolepix', 'card'),
    amount,
  }),
  fc.record({
    do: fc.constant('payout' as const),
    kind: fc.constantFrom('pix' as const, 'transfer' as const),
    amount,
  }),
  ...(['pay', 'payLate', 'cancel', 'expire', 'cancelPayout', 'bounce', 'repeat', 'replay'] as const).map(
    (name) => fc.record({ do: fc.constant(name), at }),
  ),
  fc.record({
    do: fc.constant('stale' as const),
    at,
    status: fc.constantFrom('failed', 'canceled', 'processing'),
  }),
  fc.record({
    do: fc.constant('adjust' as const),
    amount: fc.integer({ min: -9999, max: 9999 }).filter((n) => n !== 0),
  }),
);

const final = ['paid', 'canceled', 'failed'];

/** The model of an invoice or payout: its states, latest first. */
interface Thing {
  id: string;
  states: string[];
  amount: number;
  key: string;
  path: string;
  body: unknown;
  first: unknown;
}

const wake = async (name: string, id: string) => {
  const { QSTASH_URL = '', QSTASH_TOKEN = '', FUNCTIONS_URL = '' } = inject('env');
  const client = new Client({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN, devMode: false });
  await client.publishJSON({ url: jobUrl(FUNCTIONS_URL, name), body: { id } });
};

class Run {
  readonly invoices: Thing[] = [];
  readonly payouts: Thing[] = [];
  readonly adjustments: number[] = [];
  readonly tenant: Tenant;
  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  async step(one: Operation): Promise<void> {
    if (one.do === 'invoice') {
      const body = invoice({ amount: one.amount, payment_method: { type: one.method } });
      return this.order('/invoices', this.invoices, one.amount, body, 'open');
    }
    if (one.do === 'payout') {
      const pix = one.kind === 'pix';
      const body = pix ? pixPayout({ amount: one.amount }) : transferPayout({ amount: one.amount });
      return this.order('/payouts', this.payouts, one.amount, body, pix ? 'processing' : 'created');
    }
    if (one.do === 'adjust') {
      await sql`select admin.adjust_balance(${this.tenant.id}, ${one.amount}, 'BRL', 'a reason')`;
      this.adjustments.push(one.amount);
      return;
    }
    const pick = (things: Thing[]) => things[one.at % Math.max(things.length, 1)];
    const ofPayouts = one.do === 'cancelPayout' || one.do === 'bounce';
    const thing = pick(
      ofPayouts
        ? this.payouts
        : 'repeat replay stale'.includes(one.do)
          ? [...this.invoices, ...this.payouts]
          : this.invoices,
    );
    if (thing) await this.act(one, thing);
  }

  private async order(path: string, things: Thing[], amountMinor: number, body: unknown, first: string) {
    const key = crypto.randomUUID();
    const send = () => pay(this.tenant.apiKey, path, body, { key });
    const end = amountMinor % 100;
    let reply = await send();
    if (end === 13 || end === 19) {
      expect(reply.status).toBe(502);
      reply = await send();
    }
    expect([reply.status, reply.body]).toEqual([end === 13 ? 502 : 201, expect.anything()]);
    if (end === 13) return;
    // A transfer that a retry finds may have changed its state.
    expect([first, ...(first === 'created' && end === 19 ? ['incoming_payment_waiting'] : [])]).toContain(
      reply.body.status,
    );
    const { id } = reply.body;
    things.push({ id, states: [first], amount: amountMinor, key, path, body, first: reply.body });
  }

  private async act(one: Operation, thing: Thing): Promise<void> {
    const { id, states, key, path, body, first } = thing;
    const { apiKey } = this.tenant;
    const state = states[0] ?? '';
    const moveIf = (answered: { status: number }, from: string[], to: string) => {
      const expected = from.includes(state) ? 200 : 409;
      // A failing card or a payout changes state by itself: either may come first.
      if (this.movesAlone(thing)) expect([200, 409]).toContain(answered.status);
      else expect([one.do, state, answered.status]).toEqual([one.do, state, expected]);
      if (answered.status === 200) states.unshift(to);
    };
    if (one.do === 'pay') moveIf(await pay(apiKey, `/sandbox/invoices/${id}/pay`, {}), ['open'], 'paid');
    if (one.do === 'cancel') moveIf(await pay(apiKey, `/invoices/${id}/cancel`, {}), ['open'], 'canceled');
    if (one.do === 'cancelPayout') {
      const transfer = states.at(-1) === 'created';
      moveIf(await pay(apiKey, `/payouts/${id}/cancel`, {}), transfer ? ['created'] : [], 'canceled');
    }
    if (one.do === 'replay') {
      const again = await pay(apiKey, path, body, { key });
      expect([again.status, again.body, again.headers.get('idempotent-replay')]).toEqual([
        201,
        first,
        'true',
      ]);
    }
    if (one.do === 'expire' && state === 'open' && !this.movesAlone(thing)) {
      await sql`update invoices set expires_at = now() - interval '1 second' where id = ${id}`;
      const [job] =
        await sql`update jobs set due_at = now() where name = 'expire-invoice' and key = ${id} returning id`;
      await wake('expire-invoice', job?.id);
      await waitFor(async () => (await this.row(id))?.status === 'failed');
      states.unshift('failed');
    }
    // Paid at the last moment: the provider recorded the payment, and reports it after we expired the invoice.
    if (one.do === 'payLate' && state === 'failed' && !this.movesAlone(thing)) {
      await sql`update private.sandbox_orders set status = 'paid' where reference = ${id}`;
      await this.report(id, 'paid', 1);
      states.unshift('paid');
    }
    if (one.do === 'bounce') {
      await waitFor(async () => final.includes((await this.row(id))?.status));
      if ((await this.row(id))?.status !== 'paid') return;
      await sql`update private.sandbox_orders set status = 'failed' where reference = ${id}`;
      await this.report(id, 'failed', 60);
      states.unshift('failed', 'paid');
    }
    if (one.do === 'repeat') {
      const [order] = await sql`select status from private.sandbox_orders where reference = ${id}`;
      const { status } = (await this.row(id)) ?? {};
      if (order?.status === status)
        await Promise.all([this.report(id, status, 0), this.report(id, status, 1)]);
    }
    if (one.do === 'stale') await this.report(id, one.status, -7200);
  }

  /** Whether the sandbox changes its state automatically. */
  private movesAlone({ amount: minor, path, body }: Thing): boolean {
    const method = (body as { payment_method?: { type: string } }).payment_method?.type;
    return path === '/payouts' || (method === 'card' && minor % 100 === 17);
  }

  private async row(id: string) {
    const table = id.startsWith('inv_') ? 'invoices' : 'payouts';
    return (
      await sql`select status, state_at from ${sql(table)} where tenant_id = ${this.tenant.id} and id = ${id}`
    )[0];
  }

  /** The provider reports that a state began this many seconds after the last one. */
  private async report(reference: string, status: string, seconds: number) {
    const [order] = await sql`select fee::integer from private.sandbox_orders where reference = ${reference}`;
    const last = (await this.row(reference))?.state_at as Date;
    const notification = {
      resource: reference.startsWith('inv_') ? ('invoice' as const) : ('payout' as const),
      reference,
      status,
      at: new Date(last.getTime() + seconds * 1000),
      ...(status === 'paid' && { fee: order?.fee }),
    };
    expect((await notify(notification)).status).toBe(200);
  }

  /** Waits until everything has settled, and compares. */
  async check(): Promise<void> {
    for (const thing of [...this.invoices, ...this.payouts]) {
      const { states, amount: minor } = thing;
      if (this.movesAlone(thing) && !final.includes(states[0] ?? ''))
        states.unshift(minor % 100 === 17 ? 'failed' : 'paid');
      await waitFor(async () => (await this.row(thing.id))?.status === states[0]);
    }
    const entries: unknown[] = this.adjustments.map((n) => ['adjustment', n, 0, n, null]);
    const events: string[] = [];
    for (const { id, states, amount: minor } of [...this.invoices, ...this.payouts]) {
      const [kind, sign] = id.startsWith('inv_') ? ['invoice', 1] : ['payout', -1];
      const fee = sign === 1 ? Math.max(1, Math.round(minor / 100)) : 50;
      if (states.includes('paid'))
        entries.push([sign === 1 ? 'charge' : 'payout', sign * minor, fee, sign * minor - fee, id]);
      if (kind === 'payout' && states[0] === 'failed' && states[1] === 'paid')
        entries.push(['adjustment', minor, 0, minor, id]);
      for (const state of states) if (final.includes(state)) events.push(`${kind}.${state} ${id}`);
    }
    const ledger = await ledgerOf(sql, this.tenant);
    const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();
    expect(sorted(ledger.map((e) => [e.type, e.amount, e.fee, e.net, e.source]))).toEqual(sorted(entries));
    expect((await eventsOf(sql, this.tenant)).sort()).toEqual(events.sort());

    const orders = await ordersOf(sql, this.tenant);
    expect(orders.map(({ reference }) => reference)).toEqual(
      [...this.invoices, ...this.payouts].map(({ id }) => id).sort(),
    );
    const bounced = new Set(
      this.payouts.filter(({ states }) => states[0] === 'failed' && states[1] === 'paid').map(({ id }) => id),
    );
    const held = orders.reduce(
      (sum, { kind, reference, status, amount: minor, fee }) => {
        if (bounced.has(reference)) return sum - fee;
        return status === 'paid' ? sum + (kind === 'charge' ? minor : -minor) - fee : sum;
      },
      this.adjustments.reduce((sum, n) => sum + n, 0),
    );
    expect(ledger.reduce((sum, { net }) => sum + net, 0)).toBe(held);
  }
}

test('any operations in any order: states, ledger and events match the model', async () => {
  const sequence = fc.array(operation, { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(sequence, { minLength: 6, maxLength: 6 }), async (sequences) => {
      await Promise.all(
        sequences.map(async (operations) => {
          const run = new Run(await createPayTenant(sql));
          for (const one of operations) await run.step(one);
          await run.check();
        }),
      );
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

describe('the ledger is append-only', () => {
  test.each(['api', 'worker', 'postgres'])('%s cannot UPDATE or DELETE', async (role) => {
    const tenant = await createPayTenant(sql);
    await paidInvoice(tenant.apiKey);
    const attempt = (statement: string) =>
      sql.begin(async (tx) => {
        await tx.unsafe(
          `select set_config('role', '${role}', true), set_config('app.tenant_id', '${tenant.id}', true)`,
        );
        await tx.unsafe(`${statement} where tenant_id = '${tenant.id}'`);
      });
    const refusal = role === 'postgres' ? /append-only|only ever added|refuse|cannot/i : /permission denied/;
    await expect(attempt('update balance_transactions set net = 0, amount = fee')).rejects.toThrow(refusal);
    await expect(attempt('delete from balance_transactions')).rejects.toThrow(refusal);
    expect(await ledgerOf(sql, tenant)).toMatchObject([{ net: 9900 }]);
  });
});
