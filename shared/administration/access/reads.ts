// Reads API keys and OAuth clients.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withAdminErrors } from '../errors.ts';
import type { Page, Paging, Shown } from '../statements.ts';
import {
  rememberClient,
  rememberKey,
  selectClient,
  selectClients,
  selectKey,
  selectKeys,
} from './queries.ts';

export async function listKeys({ read, tenantId }: Context, paging: Paging): Promise<Page> {
  return oneRow(await read((sql) => selectKeys(sql, tenantId, paging)));
}

/** The key with this id or label. Throws `not_found` and `conflict`. */
export async function getKey({ read, tenantId }: Context, ref: string): Promise<Shown> {
  const { shown } = await withAdminErrors(
    read((sql) => ({ found: rememberKey(sql, tenantId, ref), shown: selectKey(sql, tenantId) })),
  );
  return oneRow(shown);
}

export async function listClients({ read, tenantId }: Context, paging: Paging): Promise<Page> {
  return oneRow(await read((sql) => selectClients(sql, tenantId, paging)));
}

/** The client with this client id or label. Throws `not_found` and `conflict`. */
export async function getClient({ read, tenantId }: Context, ref: string): Promise<Shown> {
  const { shown } = await withAdminErrors(
    read((sql) => ({ found: rememberClient(sql, tenantId, ref), shown: selectClient(sql, tenantId) })),
  );
  return oneRow(shown);
}
