// Reads named resources.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withAdminErrors } from '../errors.ts';
import type { Page, Paging, Shown } from '../statements.ts';
import { idNamed, recordId, rememberRecord, selectNamed, selectNamedPage } from './queries.ts';
import type { NamedResource } from './resource.ts';

export async function listNamed(
  { read, tenantId }: Context,
  resource: NamedResource,
  paging: Paging,
): Promise<Page> {
  return oneRow(await read((sql) => selectNamedPage(sql, resource, tenantId, paging)));
}

/** The record with this id or name. Throws `not_found`, and `conflict` if several have the name. */
export async function getNamed(
  { read, tenantId }: Context,
  resource: NamedResource,
  ref: string,
): Promise<Shown> {
  const { shown } = await withAdminErrors(
    read((sql) => ({
      found: rememberRecord(sql, idNamed(sql, resource, tenantId, ref)),
      shown: selectNamed(sql, resource, tenantId, recordId(sql)),
    })),
  );
  return oneRow(shown);
}
