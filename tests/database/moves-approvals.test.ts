// Asaas requests approval of transfers and Pix refunds while their tenant cannot write: each gets an answer, stored when the window ends.
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction } from '../support/gamification/gamification.ts';

const sql = connectDatabase();
const ACCOUNT = `pacc_0${'a'.repeat(25)}`;

/** A tenant in its window with a refund in progress, without the locks that a real window takes. */
async function freeze(tx: postgres.TransactionSql): Promise<string> {
  const { id: tenantId } = await createWorkspace(tx);
  await tx`set local session_replication_role = replica`;
  await tx`insert into public.provider_accounts (tenant_id, id, provider, status) values (${tenantId}, ${ACCOUNT}, 'asaas', 'active')`;
  await tx`
    insert into public.invoices ${tx({
      ...{ tenant_id: tenantId, id: 'in_1', status: 'paid', amount: 500, currency: 'BRL', region: 'BR' },
      ...{
        payment_method_type: 'pix',
        payment_method: {},
        description: 'x',
        customer: {},
        provider: 'asaas',
        provider_account_id: ACCOUNT,
        provider_reference: 'pay_1',
      },
    })}`;
  await tx`
    insert into public.refunds (tenant_id, id, invoice_id, amount, currency, provider, provider_account_id)
    values (${tenantId}, 'rfd_1', 'in_1', 500, 'BRL', 'asaas', ${ACCOUNT})`;
  await tx`set local session_replication_role = origin`;
  const [move] = await tx`
    insert into private.tenant_moves (tenant_id, slug, direction, moved_to, state, frozen_until, settled_at)
    select id, slug, 'out', 'https://new.example', 'frozen', now() + interval '1 hour', now() from public.tenants where id = ${tenantId}
    returning id`;
  return move?.id;
}

async function approves(tx: postgres.TransactionSql, id: string, payment: string | null = 'pay_1') {
  const [row] = await tx`select app.approve_refund(${ACCOUNT}, ${id}, 500, ${payment}, null) as approved`;
  return row?.approved;
}

test('a refund is approved once, and the approval is stored when the window ends', () =>
  inTransaction(sql, async (tx) => {
    const move = await freeze(tx);
    expect(await approves(tx, 'strange', 'pay_2')).toBe(false);
    expect(await approves(tx, 'first', null)).toBe(true);
    expect(await approves(tx, 'first')).toBe(true);
    expect(await approves(tx, 'second')).toBe(false);
    const [refund] = await tx`select approved_for from public.refunds where id = 'rfd_1'`;
    expect(refund, 'rows of the tenant do not change in the window').toEqual({ approved_for: null });
    await tx`select admin.thaw_tenant(${move})`;
    expect(await tx`select approved_for from public.refunds where id = 'rfd_1'`).toEqual([
      { approved_for: 'first' },
    ]);
    expect(await approves(tx, 'second')).toBe(false);
  }));

test('approvals from the other project are stored only for orders of the moved tenant', () =>
  inTransaction(sql, async (tx) => {
    const other = await createWorkspace(tx);
    const move = await freeze(tx);
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into public.refunds (tenant_id, id, invoice_id, amount, currency, provider)
      values (${other.id}, 'rfd_2', 'in_2', 500, 'BRL', 'asaas')`;
    await tx`set local session_replication_role = origin`;
    await tx`update private.tenant_moves set state = 'moved', closed = true where id = ${move}`;
    const sent = ['rfd_1', 'rfd_2'].map((id) => ({ order_id: id, transfer_id: `refund of ${id}` }));
    await tx`select private.receive_approvals(${move}, ${tx.json(sent)})`;
    expect(await tx`select id, approved_for from public.refunds where id like 'rfd__' order by id`).toEqual([
      { id: 'rfd_1', approved_for: 'refund of rfd_1' },
      { id: 'rfd_2', approved_for: null },
    ]);
  }));
