// `--with-log`: copies the tenant's rows of the request log, which has no key, as a whole and once.
import { CliError } from '../exit-codes.ts';
import { copyRows } from './copy.ts';
import { readOne } from './side.ts';
import type { Move } from './tables.ts';

const COLUMNS =
  'at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, fields, query, ip, duration_ms, requests';

/** Returns the number of rows. Rows of an earlier, interrupted copy are replaced month by month. */
export async function copyLog({ from, to, tenantId, checkpoint, bytesPerSecond }: Move): Promise<number> {
  const months = await from.sql<{ month: string }[]>`
    select distinct to_char(date_trunc('month', at at time zone 'UTC'), 'YYYY-MM-DD') as month
    from public.request_log where tenant_id = ${tenantId} order by 1`;
  let rows = 0;
  for (const { month } of months) {
    await checkpoint();
    // Becomes SQL at the destination.
    if (!/^\d{4,6}-\d\d-\d\d$/.test(month)) throw new CliError(`The source sent ${month} as a month.`);
    const range = `tenant_id = '${tenantId}' and at >= '${month}Z' and at < timestamptz '${month}Z' + interval '1 month'`;
    const wanted = await readOne<number>(
      from.sql.unsafe(`select count(*)::integer as value from public.request_log where ${range}`),
    );
    const present = await readOne<number>(
      to.sql.unsafe(`select count(*)::integer as value from public.request_log where ${range}`),
    );
    rows += wanted;
    if (wanted === present) continue;
    await to.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx.unsafe(`delete from public.request_log where ${range}`);
      await copyRows({
        from: from.sql,
        select: `select ${COLUMNS} from public.request_log where ${range} order by at`,
        to: tx,
        into: `public.request_log (${COLUMNS})`,
        where: `tenant_id = '${tenantId}'`,
        bytesPerSecond,
      });
    });
  }
  return rows;
}
