// Reads API keys and OAuth clients.
import type { Context } from '../../platform/access/context.ts';
import type { Paging } from '../statements.ts';
import { readPage, readShown } from '../transactions.ts';
import {
  rememberClient,
  rememberKey,
  selectClient,
  selectClients,
  selectKey,
  selectKeys,
} from './queries.ts';

export const listKeys = (context: Context, paging: Paging) =>
  readPage(context, (sql) => selectKeys(sql, context.tenantId, paging));

/** The key with this id or label. Throws `not_found` and `conflict`. */
export const getKey = (context: Context, ref: string) =>
  readShown(context, (sql) => ({
    found: rememberKey(sql, context.tenantId, ref),
    shown: selectKey(sql, context.tenantId),
  }));

export const listClients = (context: Context, paging: Paging) =>
  readPage(context, (sql) => selectClients(sql, context.tenantId, paging));

/** The client with this client id or label. Throws `not_found` and `conflict`. */
export const getClient = (context: Context, ref: string) =>
  readShown(context, (sql) => ({
    found: rememberClient(sql, context.tenantId, ref),
    shown: selectClient(sql, context.tenantId),
  }));
