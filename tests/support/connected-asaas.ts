// A tenant whose account at the emulator of Asaas is connected, in the shared stack.
import type postgres from 'postgres';
import { inject } from 'vitest';
import { AsaasControl } from '../../local/providers/asaas/control.ts';
import { createPayTenant } from './payment-flows.ts';
import { sweepNow } from './sandbox.ts';
import { waitFor } from './wait-for.ts';

export const asaasControl = () => new AsaasControl((inject('env').ASAAS_URL ?? '').replace(/\/v3$/, ''));

/** `accountId`: ours; `theirId`: the emulator's. The account is active. */
export async function createAsaasTenant(sql: postgres.Sql) {
  const control = asaasControl();
  const tenant = await createPayTenant(sql);
  await sql`update tenants set owner_email = 'owner@demo.example' where id = ${tenant.id}`;
  const { id: theirId, apiKey: key } = await control.createAccount({ balance: 1000 });
  const [connected] = await sql`select admin.connect_asaas(${tenant.id}, ${key}) as id`;
  const accountId: string = connected?.id;
  await waitFor(async () => {
    await sweepNow();
    const [account] = await sql`select status, reason from provider_accounts where id = ${accountId}`;
    if (account?.status !== 'active') throw new Error(`${account?.status}: ${account?.reason}`);
    return true;
  });
  // Without it every transfer would wait for a code.
  const [approvals] = await sql`select token from admin.new_withdrawal_token(${accountId})`;
  await control.withdrawalValidation(theirId, {
    url: `${inject('env').FUNCTIONS_URL}/callbacks/providers/asaas/${accountId}/approvals`,
    authToken: approvals?.token,
  });
  return { ...tenant, accountId, theirId, key, control };
}
