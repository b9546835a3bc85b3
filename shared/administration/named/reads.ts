// Reads named resources.
import type { Context } from '../../platform/access/context.ts';
import type { Paging } from '../statements.ts';
import { readPage, readShown } from '../transactions.ts';
import { idNamed, recordId, rememberRecord, selectNamed, selectNamedPage } from './queries.ts';
import type { NamedResource } from './resource.ts';

export const listNamed = (context: Context, resource: NamedResource, paging: Paging) =>
  readPage(context, (sql) => selectNamedPage(sql, resource, context.tenantId, paging));

/** The record with this id or name. Throws `not_found`, and `conflict` if several have the name. */
export const getNamed = (context: Context, resource: NamedResource, ref: string) =>
  readShown(context, (sql) => ({
    found: rememberRecord(sql, idNamed(sql, resource, context.tenantId, ref)),
    shown: selectNamed(sql, resource, context.tenantId, recordId(sql)),
  }));
