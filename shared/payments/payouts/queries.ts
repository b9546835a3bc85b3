// SQL of the table `payouts`.
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { AcceptedPayout } from '../providers/provider.ts';
import type { PayoutInput } from './schema.ts';

export interface PayoutRow {
  id: string;
  tenant_id: string;
  status: 'creating' | 'created' | 'incoming_payment_waiting' | 'processing' | 'paid' | 'failed' | 'canceled';
  beneficiary: { name: string; bank_account: { type: 'pix' | 'bank_transfer' } };
  amount: number;
  currency: string;
  region: string;
  purpose: string;
  cost_center: string | null;
  contractor_reference: string | null;
  metadata: Record<string, string> | null;
  our_number: string | null;
  provider: string;
  created: string;
}

/** Makes the row of a claimed key, unless the cost center is unknown. */
export function beginPayout(
  sql: Sql,
  tenantId: string,
  key: string,
  attemptId: string,
  input: PayoutInput,
  provider: string,
): Statement {
  const costCenter = input.cost_center ?? null;
  return sql`
    with made as (
      insert into public.payouts
        (tenant_id, beneficiary, amount, currency, region, purpose, cost_center, contractor_reference, metadata, provider)
      select ${tenantId}, ${JSON.stringify(input.beneficiary)}::jsonb, ${input.amount}, ${input.currency}, ${input.region},
             ${input.purpose}, c.code, ${input.contractor_reference ?? null},
             ${input.metadata ? JSON.stringify(input.metadata) : null}::jsonb, ${provider}
      from public.idempotency_keys k
      left join public.cost_centers c
        on c.tenant_id = ${tenantId} and case when ${costCenter}::text is null then c.is_default else c.code = ${costCenter} end
      where k.tenant_id = ${tenantId} and k.key = ${key} and k.claimed_by = ${attemptId}
        and k.resource_id is null and k.response_status is null
        and (${costCenter}::text is null or c.code is not null)
      returning id
    )
    select app.set_key_resource(${key}, id) from made`;
}

export function selectPayoutByKey(sql: Sql, tenantId: string, key: string): Statement {
  return sql`
    select to_jsonb(p) as snapshot
    from public.idempotency_keys k
    join public.payouts p on p.tenant_id = k.tenant_id and p.id = k.resource_id
    where k.tenant_id = ${tenantId} and k.key = ${key}`;
}

/** The provider took it: the payout takes its number and the state that the provider gave it first. */
export function openPayout(
  sql: Sql,
  tenantId: string,
  id: string,
  status: string,
  { providerReference, state }: AcceptedPayout,
): Statement {
  return sql`
    update public.payouts
    set status = ${status}, our_number = app.our_number(tenant_id, 'PO'), provider_reference = ${providerReference},
        state_at = ${state.at.toISOString()}
    where tenant_id = ${tenantId} and id = ${id} and status = 'creating'`;
}

export function payoutSnapshot(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    select to_jsonb(p) as snapshot from public.payouts p
    where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;
}

export function cancelPayoutRow(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    update public.payouts set status = 'canceled', state_at = now()
    where tenant_id = ${tenantId} and id = ${id} and status in ('created', 'incoming_payment_waiting')`;
}
