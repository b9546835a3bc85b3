// SQL of Asaas' question whether a transfer is ours.
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { Beneficiary } from '../providers/provider.ts';

/** `tokenHash`: SHA-256 in hex. */
export const withdrawalTokenFits = (
  sql: Sql,
  accountId: string,
  tokenHash: string,
): Statement<{ fits: boolean }> =>
  sql`select app.withdrawal_token_fits(${accountId}, decode(${tokenHash}, 'hex')) as fits`;

export interface TransferToApprove {
  amount: number;
  currency: string;
  beneficiary: Beneficiary;
  provider_reference: string | null;
  /** Whether it was sent, and has not ended. */
  under_way: boolean;
}

export const selectTransferToApprove = (
  sql: Sql,
  accountId: string,
  id: string,
): Statement<TransferToApprove> => sql`
  select amount::double precision as amount, currency, beneficiary, provider_reference,
         status in ('creating', 'created', 'processing') and ordered_at is not null as under_way
  from public.payouts
  where id = ${id} and provider_account_id = ${accountId}`;
