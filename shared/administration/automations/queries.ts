// SQL of the runs of automations.
import type { Sql, Statement } from '../../platform/db/database.ts';
import { recordId } from '../named/queries.ts';
import { containsExactly, type Page, type Paging, selectPage } from '../statements.ts';

/** The runs of the automation with the id `recordId`. */
export const selectRuns = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`(
        select a.*, e.type, e.depth from public.automation_runs a
        join public.events e on e.tenant_id = a.tenant_id and e.id = a.event_id
        where a.tenant_id = ${tenantId} and a.automation_id = ${recordId(sql)}
      ) as r`,
      where: containsExactly(sql, sql`r.type`, paging),
      record: sql`json_build_object(
        'id', r.id::text, 'event_id', r.event_id, 'event', r.type, 'depth', r.depth, 'matched', r.matched, 'outcome', r.outcome,
        'actions', r.actions, 'error', r.error, 'created_at', app.format_utc(r.created_at))`,
      name: sql`r.type collate "und-x-icu"`,
      time: sql`r.id`,
    },
    paging,
  );
