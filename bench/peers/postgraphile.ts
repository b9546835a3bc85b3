// PostGraphile under the same row-level security as Placar (postgraphile/server.mjs).
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimPort } from '../../local/ports.ts';
import { createDatabase, leadsOfTenants } from './leads.ts';
import { type Peer, type PeerOptions, startProgram } from './peer.ts';

const MEMBERS = `id: rowId name email phone company position source status ownerId teamId customFields tags createdAt updatedAt`;

/** Persisted operations by name. */
const persistedOperations = {
  ready: '{ __typename }',
  get: `query ($tenant: UUID!, $id: UUID!) { lead: leadByTenantIdAndRowId(tenantId: $tenant, rowId: $id) { ${MEMBERS} } }`,
  list: `{ page: allLeads(condition: { status: "new" }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: 25) {
    nodes { ${MEMBERS} } totalCount } }`,
  create: `mutation ($lead: LeadInput!) { done: createLead(input: { lead: $lead }) { lead { ${MEMBERS} } } }`,
  update: `mutation ($tenant: UUID!, $id: UUID!, $patch: LeadPatch!) {
    done: updateLeadByTenantIdAndRowId(input: { tenantId: $tenant, rowId: $id, leadPatch: $patch }) { lead { ${MEMBERS} } } }`,
};

/** Starts PostGraphile with its own database `bench_postgraphile`. */
export async function start({ databaseUrl, dir, tenantId }: PeerOptions): Promise<Peer> {
  const ownUrl = await createDatabase({
    serverUrl: databaseUrl,
    name: 'bench_postgraphile',
    schema: leadsOfTenants,
  });
  await mkdir(dir, { recursive: true });
  const operations = join(dir, 'operations.json');
  await writeFile(operations, JSON.stringify(persistedOperations));
  const port = await claimPort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: ownUrl,
    PORT: String(port),
    OPERATIONS_FILE: operations,
    GRAPHILE_ENV: 'production',
  };
  const child = await startProgram({ peer: 'postgraphile', file: 'server.mjs', env, dir }, `${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"documentId":"ready"}',
  });
  return {
    url,
    headers: { 'x-tenant-id': tenantId },
    databaseUrl: ownUrl,
    pid: child.pid,
    stop: () => child.stop(),
  };
}
