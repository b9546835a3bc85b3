// `--with-log`: copies the tenant's rows of the request log. They have no key, so the rows that the destination lacks are found by comparison.
import { CliError } from '../exit-codes.ts';
import { copyRows } from './copy.ts';
import { readOne } from './side.ts';
import type { Move } from './tables.ts';

/** All columns of the request log. */
export const LOG_COLUMNS =
  'at, request_id, tenant_id, api_key_id, client_id, user_id, function, method, path, status, reason, fields, query, ip, duration_ms, requests, waited_ms, trace_id';

/** Placar has no older rows. */
const FIRST_MONTH = '2020-01-01';

/**
 * Returns the number of rows that it copied. Run it after the switch, when the source logs no more work of the tenant. Rows of the
 * destination stay: the tenant may have worked there before.
 */
export async function copyLog({ from, to, tenantId, checkpoint, bytesPerSecond }: Move): Promise<number> {
  const months = await from.sql<{ month: string }[]>`
    select distinct to_char(date_trunc('month', at at time zone 'UTC'), 'YYYY-MM-DD') as month
    from public.request_log where tenant_id = ${tenantId} order by 1`;
  const today = new Date().toISOString().slice(0, 10);
  let rows = 0;
  for (const { month } of months) {
    await checkpoint();
    // Becomes SQL and a partition at the destination.
    if (!/^\d{4}-\d\d-01$/.test(month) || month > today || month < FIRST_MONTH)
      throw new CliError(`The source sent an invalid month of the request log: ${month}.`);
    const range = `tenant_id = '${tenantId}' and at >= '${month}Z' and at < timestamptz '${month}Z' + interval '1 month'`;
    // Otherwise the rows would be in the default partition, which is kept forever.
    await to.sql`select private.create_request_log_partition(${month}::date)`;
    rows += await to.sql.begin(async (tx) => {
      await tx.unsafe(
        `create temporary table arrived on commit drop as select ${LOG_COLUMNS} from public.request_log limit 0`,
      );
      await copyRows({
        from: from.sql,
        select: `select ${LOG_COLUMNS} from public.request_log where ${range}`,
        to: tx,
        into: `arrived (${LOG_COLUMNS})`,
        where: range,
        bytesPerSecond,
      });
      return await readOne<number>(
        tx.unsafe(`
          with copied as (
            insert into public.request_log (${LOG_COLUMNS})
            select ${LOG_COLUMNS} from arrived except all select ${LOG_COLUMNS} from public.request_log where ${range}
            returning 1
          )
          select count(*)::integer as value from copied`),
      );
    });
  }
  return rows;
}
