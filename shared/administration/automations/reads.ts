// Reads the runs of automations.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withAdminErrors } from '../errors.ts';
import { idNamed, rememberRecord } from '../named/queries.ts';
import type { Page, Paging } from '../statements.ts';
import { automations } from './named.ts';
import { selectRuns } from './queries.ts';

/** The runs of the automation with this id or name. Throws `not_found`. */
export async function listRuns({ read, tenantId }: Context, ref: string, paging: Paging): Promise<Page> {
  const { runs } = await withAdminErrors(
    read((sql) => ({
      automation: rememberRecord(sql, idNamed(sql, automations, tenantId, ref)),
      runs: selectRuns(sql, tenantId, paging),
    })),
  );
  return oneRow(runs);
}
