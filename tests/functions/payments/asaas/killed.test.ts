// A payments function that is killed at every point of an order: the same key completes it, and Asaas has it once.
import { describe, expect, test } from 'vitest';
import { noteUse } from '../../../support/database.ts';
import { startOwnFunction } from '../../../support/functions.ts';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  sent,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import { untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay } from '../../../support/payments/payments.ts';
import { type OrderKind, orderBody } from '../../../support/payments/stopped-order.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { wireToDatabase } from '../../../support/wire/network-waits.ts';

const sql = connectAdmin();
const kinds: OrderKind[] = ['invoices', 'payouts'];
const AT = { invoices: '/payments', payouts: '/transfers' };

/** Simulates that the locks of the tenant's keys have expired and the order is minutes old. */
async function later({ id }: AsaasTenant, kind: OrderKind): Promise<void> {
  await sql`update idempotency_keys set locked_until = now() - interval '1 second' where tenant_id = ${id}`;
  await sql`update ${sql(kind)} set created = created - interval '3 minutes' where tenant_id = ${id}`;
}

/** In all cases, the key results in one order, which exists once at Asaas and once in the ledger. */
async function expectOnce(
  tenant: AsaasTenant,
  kind: OrderKind,
  send: () => ReturnType<typeof pay>,
): Promise<void> {
  await later(tenant, kind);
  const finished = await waitFor(async () => {
    const reply = await send();
    if (reply.status === 201) return reply;
    await sweepNow();
    // A payout that Asaas never received is sent by a job, after two lookups.
    await sql`update payouts set missed_at = missed_at - interval '1 minute' where tenant_id = ${tenant.id} and missed_at > now() - interval '30 seconds'`;
    await sql`update jobs set due_at = now(), published_at = null where tenant_id = ${tenant.id} and name = 'recover-order' and locked_until is null and finished_at is null`;
    return false;
  });
  const { id } = finished.body;
  expect(await sql`select id from ${sql(kind)} where tenant_id = ${tenant.id}`).toHaveLength(1);
  expect(await tenant.there(kind === 'invoices' ? 'payments' : 'transfers', id)).toHaveLength(1);
  if (kind === 'invoices') await tenant.payment(id, 'pay');
  await untilStatus(tenant.apiKey, `/${kind}/${id}`, 'paid');
  expect(await entriesOf(sql, tenant, id)).toHaveLength(1);
  await reconcile(sql, tenant);
  expect(await openDifferences(sql, tenant)).toEqual([]);
  expect((await send()).body.id).toBe(id);
}

describe.each(kinds)('killed while creating %s', (kind) => {
  test.each(['hold_before', 'hold_after'] as const)('while it waits for Asaas (%s)', async (hold) => {
    const tenant = await connectAsaasTenant(sql);
    const { baseUrl, edge } = await startOwnFunction('payments');
    await tenant.fault({ kind: hold, method: 'POST', path: AT[kind] });
    const [key, body] = [crypto.randomUUID(), orderBody(kind)];
    const sending = pay(tenant.apiKey, `/${kind}`, body, { key, baseUrl }).catch(() => undefined);
    await waitFor(async () => (await sent(tenant, 'POST', AT[kind])).length === 1);
    edge.crash();
    expect(await sending).toBeUndefined();
    await expectOnce(tenant, kind, () => pay(tenant.apiKey, `/${kind}`, body, { key }));
  });

  test('after each exchange with the database, before it receives the response', async () => {
    for (let nth = 1; ; nth++) {
      const tenant = await connectAsaasTenant(sql);
      await noteUse(sql, tenant);
      const { wire, env } = await wireToDatabase();
      const { baseUrl, edge } = await startOwnFunction('payments', env);
      const [key, body] = [crypto.randomUUID(), orderBody(kind)];
      wire.watch({ answer: (exchange: number) => exchange < nth });
      let answered = false;
      const sending = pay(tenant.apiKey, `/${kind}`, body, { key, baseUrl }).then(
        () => {
          answered = true;
        },
        () => {},
      );
      await waitFor(() => answered || wire.asked() >= nth);
      edge.crash();
      await sending;
      await expectOnce(tenant, kind, () => pay(tenant.apiKey, `/${kind}`, body, { key }));
      wire.open();
      if (answered) break;
    }
  });
});
