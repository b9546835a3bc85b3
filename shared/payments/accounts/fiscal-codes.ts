// Reads the lists of IBS and CBS codes of an account once a day, so that warnings name configured codes that do not exist.
import { z } from 'zod';
import { type Fragment, type Sql, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { errorFields } from '../../platform/logger.ts';
import { type FiscalCodeKind, type FiscalCodeList, fiscalCodeKinds } from '../providers/accounts.ts';
import type { AccountsOptions } from './check.ts';
import { selectAccount } from './queries.ts';

/** Each check of the account schedules this job again once its last run is a day old. */
export const createReadFiscalCodesJob = ({ providers }: Pick<AccountsOptions, 'providers'>): JobHandler =>
  defineJob({
    name: 'read-fiscal-codes',
    payload: z.object({ account_id: z.string() }),
    leaseSeconds: 300,
    async run({ account_id: id }, { signal }, { database, log }) {
      const [row] = await database.transaction(WORKER_SESSION, (sql) => selectAccount(sql, id));
      if (!row?.account || row.status === 'disconnected') return 'done';
      const provider = await providers.connect(row.account);
      for (const kind of fiscalCodeKinds) {
        signal.throwIfAborted();
        try {
          const list = await provider.readFiscalCodes?.(kind, signal);
          if (list) await database.transaction(WORKER_SESSION, (sql) => storeCodes(sql, id, kind, list));
        } catch (error) {
          // The codes of the last reading stay.
          if (signal.aborted) throw error;
          log.warn('list of fiscal codes unavailable', { account_id: id, kind, ...errorFields(error) });
        }
      }
      return 'done';
    },
  });

function storeCodes(
  sql: Sql,
  id: string,
  kind: FiscalCodeKind,
  { codes, isComplete }: FiscalCodeList,
): Fragment[] {
  const listed = JSON.stringify(codes);
  return [
    sql`
      delete from public.provider_fiscal_codes c
      using public.provider_accounts a
      where a.id = ${id} and c.tenant_id = a.tenant_id and c.account_id = a.id and c.kind = ${kind}
        and c.code not in (select l.code from jsonb_to_recordset(${listed}::jsonb) as l (code text))`,
    sql`
      insert into public.provider_fiscal_codes as c (tenant_id, account_id, kind, code, description)
      select distinct on (l.code) a.tenant_id, a.id, ${kind}, l.code, l.description
      from public.provider_accounts a, jsonb_to_recordset(${listed}::jsonb) as l (code text, description text)
      where a.id = ${id}
      on conflict (tenant_id, account_id, kind, code) do update set description = excluded.description
      where c.description is distinct from excluded.description`,
    sql`
      update public.provider_accounts
      set complete_fiscal_lists = case when ${isComplete} then array_append(array_remove(complete_fiscal_lists, ${kind}), ${kind})
                                       else array_remove(complete_fiscal_lists, ${kind}) end
      where id = ${id}`,
  ];
}
