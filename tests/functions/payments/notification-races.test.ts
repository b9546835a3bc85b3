// A resource that opens while its notification is applied: whichever of the statements it comes between, the notification is
// applied in the end. And what was passed over nevertheless is found by the sweep.
import postgres from 'postgres';
import { describe, expect, inject, test } from 'vitest';
import type { Notification } from '../../../shared/payments/notifications/notification.ts';
import { receiveNotification } from '../../../shared/payments/notifications/receive.ts';
import type { Database, Sql, Transaction } from '../../../shared/platform/db/database.ts';
import { createLogger } from '../../../shared/platform/logging/logger.ts';
import { connectDatabase } from '../../support/database.ts';
import { createPayTenant, untilStatus } from '../../support/payment-flows.ts';
import { pay } from '../../support/payments.ts';
import { eventsOf, ledgerOf, notify, ordersOf } from '../../support/sandbox.ts';
import { type OrderKind, orderBody } from '../../support/stopped-order.ts';
import { sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

const kinds: OrderKind[] = ['invoices', 'payouts'];
/** The sandbox takes the order and says nothing: it stays in `creating`. */
const SILENT = 10019;

async function creating(kind: OrderKind) {
  const tenant = await createPayTenant(sql);
  const key = crypto.randomUUID();
  const send = () => pay(tenant.apiKey, `/${kind}`, orderBody(kind, SILENT), { key });
  expect((await send()).status).toBe(502);
  const [order] = await ordersOf(sql, tenant);
  const id: string = order?.reference;
  if (kind === 'payouts')
    await sql`delete from jobs where name = 'settle-in-sandbox' and key like ${`${id}:%`}`;
  return { tenant, id, send };
}

const paid = (kind: OrderKind, reference: string): Notification => ({
  eventId: crypto.randomUUID(),
  resource: kind === 'invoices' ? 'invoice' : 'payout',
  reference,
  state: { status: 'paid', at: new Date(), feeMinor: 7, availableOn: undefined, reason: undefined },
});

/** Opens it as the answer to its order does, beside whatever else happens. */
const open = (kind: OrderKind, id: string) => sql`
  update ${sql(kind)} set status = ${kind === 'invoices' ? 'open' : 'processing'}, state_at = now() - interval '1 minute'
  where id = ${id} and status = 'creating'`;

/** A connection that sends JSON as the text that it is, as the functions' own do. */
const connectAsFunction = () =>
  postgres(inject('stack').database_url, {
    max: 1,
    onnotice: () => {},
    types: { json: { to: 3802, from: [114, 3802], serialize: String, parse: JSON.parse } },
  });

/** A database whose statements go one by one, each held up until `before` is over. */
function heldUp(before: (nth: number, connection: postgres.Sql) => Promise<void>): Database {
  const transaction = async (
    _: unknown,
    build: (sql: Sql) => { work: Record<string, PromiseLike<unknown>>; jobs: PromiseLike<unknown> },
  ) => {
    const connection = connectAsFunction();
    try {
      await connection`begin`;
      await connection`set local role worker`;
      // Statements of postgres.js are sent when they are awaited.
      const { work, jobs } = build(connection as unknown as Sql);
      const rows: Record<string, unknown> = {};
      for (const [i, [name, statement]] of Object.entries(work).entries()) {
        await before(i, connection);
        rows[name] = await statement;
      }
      const caused = await jobs;
      await connection`commit`;
      return { work: rows, jobs: caused };
    } finally {
      await connection.end();
    }
  };
  return { transaction: transaction as unknown as Transaction } as unknown as Database;
}

const waitsForLock = async (pid: number) =>
  (await sql`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`).length > 0;

describe.each(kinds)('%s that open', (kind) => {
  test.each([0, 1, 2, 3, 4])('before statement %i of applying', async (held) => {
    const { tenant, id } = await creating(kind);
    const notification = paid(kind, id);
    let opening: Promise<unknown> | undefined;
    let opened = false;
    const database = heldUp(async (nth, connection) => {
      if (nth !== held) return;
      const [row] = await connection`select pg_backend_pid() as pid`;
      opening = open(kind, id).then(() => {
        opened = true;
      });
      // It is through, or waits for the transaction that is held up here.
      await waitFor(async () => opened || (await waitsForLock(row?.pid)));
    });
    const queue = { publish: async () => {}, passOn: async () => true };
    await receiveNotification('sandbox', notification, { database, queue, log: createLogger('error') });
    await opening;
    // Marked where it changed something, and otherwise still to be applied.
    const [at] = await sql`
      select e.applied_at is not null as applied, r.status from ${sql(kind)} r join provider_events e on e.body ->> 'reference' = r.id
      where r.id = ${id}`;
    expect(at?.applied).toBe(at?.status === 'paid');
    await sweepNow();
    await untilStatus(tenant.apiKey, `/${kind}/${id}`, 'paid');
    expect(await eventsOf(sql, tenant)).toHaveLength(1);
    expect(await ledgerOf(sql, tenant)).toHaveLength(1);
    expect(
      await sql`select applied_at is not null as applied, checked_at is not null as checked from provider_events where event_id = ${notification.eventId}`,
    ).toEqual([{ applied: true, checked: true }]);
  });

  test('and were passed over by what marked it: the sweep has it applied', async () => {
    const { tenant, id } = await creating(kind);
    const about = kind === 'invoices' ? 'invoice' : 'payout';
    await notify({ resource: about, reference: id, status: 'paid', at: new Date(Date.now() + 1000) });
    await sql`update provider_events set applied_at = now() where body ->> 'reference' = ${id}`;
    await open(kind, id);
    await sweepNow();
    await untilStatus(tenant.apiKey, `/${kind}/${id}`, 'paid');
    expect(await ledgerOf(sql, tenant)).toHaveLength(1);
  });

  test('and whose job was given up, or lost: the sweep has it applied', async () => {
    const { tenant, id } = await creating(kind);
    const about = kind === 'invoices' ? 'invoice' : 'payout';
    await notify({ resource: about, reference: id, status: 'paid', at: new Date(Date.now() + 1000) });
    await open(kind, id);
    await sql`
      update jobs set failed_at = now() - interval '2 hours', finished_at = null
      where name = 'apply-notification' and payload ->> 'event_id' in (
        select event_id from provider_events where body ->> 'reference' = ${id})`;
    await sql`delete from jobs where key like 'sandbox:%:opened' and tenant_id = ${tenant.id}`;
    await sweepNow();
    await untilStatus(tenant.apiKey, `/${kind}/${id}`, 'paid');
  });
});

test('one that rightly changed nothing is looked at once more, and then left alone', async () => {
  const { tenant, id } = await creating('payouts');
  await open('payouts', id);
  await notify({ resource: 'payout', reference: id, status: 'paid', at: new Date() });
  const late = crypto.randomUUID();
  await notify({ id: late, resource: 'payout', reference: id, status: 'processing', at: new Date(0) });
  const checked = () => sql`select from provider_events where event_id = ${late} and checked_at is not null`;
  expect(await checked()).toHaveLength(0);
  await sweepNow();
  await waitFor(async () => (await checked()).length === 1);
  expect(await ledgerOf(sql, tenant)).toHaveLength(1);
  expect(await sql`select from jobs where key = ${`sandbox:${late}`}`).toHaveLength(0);
});
