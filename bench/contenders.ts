// Servers of leads to compare with: the bare handlers and the installed peers, all with the same leads.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importLine, startDeno } from './deno.ts';
import { MARK } from './load/bodies.ts';
import type { PlainRequest } from './load/load.ts';
import { copyLeads, createDatabase, leadsOfTenants } from './peers/leads.ts';
import { installedPeers, peers } from './peers/peers.ts';
import { type Operation, operations, requestsOf, shownBy } from './peers/requests.ts';
import type { RecordsClient } from './records.ts';
import type { Stage } from './stage.ts';

/** Names the tenant for handlers without authentication. */
const TENANT_HEADER = 'x-tenant-id';

export interface LeadsServer {
  /** Label in tables. */
  name: string;
  url: string;
  requests: Record<Operation, PlainRequest>;
  processes(): number[];
}

export interface LeadsServers {
  servers: LeadsServer[];
  stop(): Promise<void>;
}

/** Baseline for Placar's CPU time: its own database layer with nothing on top. */
export const ONE_MESSAGE = 'bare handler, one message';
const forms = {
  pipelined: 'bare handler, pipelined',
  message: ONE_MESSAGE,
  function: 'bare handler, one function per request',
};

/** Requests to Placar with this token. */
export const placarRequests = ({ tenantId }: Stage, { leads: ids }: RecordsClient, token: string) =>
  requestsOf.placar({ headers: { authorization: `Bearer ${token}` }, ids, tenantId });

/** Starts the servers and checks that each responds like Placar. */
export async function startLeadsServers(stage: Stage, client: RecordsClient): Promise<LeadsServers> {
  const { sql, tenantId, dir } = stage;
  const databaseUrl = stage.stack.info.database_url;
  const asked = { ids: client.leads, tenantId };
  const servers: LeadsServer[] = [];
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const functions = await readFile(new URL('bare/leads.sql', import.meta.url), 'utf8');
    const schema = leadsOfTenants + functions;
    const bareUrl = await createDatabase({ serverUrl: databaseUrl, name: 'bench_bare', schema });
    await copyLeads(sql, tenantId, bareUrl);
    for (const form of ['pipelined', 'message', 'function'] as const) {
      const bare = await startDeno({
        name: `bare-leads-${form}`,
        entry: `${importLine('bench/bare/leads.ts', 'app')}Deno.serve(app.fetch);\n`,
        health: '/bare/health',
        env: { SUPABASE_DB_URL: bareUrl },
        dir,
      });
      stops.push(bare.stop);
      servers.push({
        name: forms[form],
        url: `http://127.0.0.1:${bare.port}`,
        requests: requestsOf[form]({ ...asked, headers: { [TENANT_HEADER]: tenantId } }),
        processes: () => [bare.pid],
      });
    }
    for (const { name, version } of installedPeers()) {
      const peer = await peers[name].start({ databaseUrl, tenantId, dir: join(dir, name) });
      stops.push(peer.stop);
      await copyLeads(sql, tenantId, peer.databaseUrl);
      servers.push({
        name: `${name} ${version}`,
        url: peer.url,
        requests: requestsOf[name]({ ...asked, headers: peer.headers }),
        processes: () => [peer.pid],
      });
    }
    await checkAnswers([
      { name: 'Placar', url: client.url, requests: placarRequests(stage, client, client.token) },
      ...servers,
    ]);
    return { servers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Answering = Omit<LeadsServer, 'processes'>;

/** Members that only Placar returns. */
const OWN_MEMBERS = new Set(['activities', 'external_id']);

/** Sends each operation to all servers. Throws unless leads have the same members as in the first one, and lists have 25 rows. */
async function checkAnswers(servers: Answering[]): Promise<void> {
  let expected: string | undefined;
  for (const server of servers) {
    const { name, url, requests } = server;
    await checkTenants(server);
    for (const operation of operations) {
      const { members, leads } = shownBy(await ask(url, requests[operation]));
      const shown = members.filter((member) => !OWN_MEMBERS.has(member)).join(', ');
      expected ??= shown;
      const wanted = operation === 'list' ? 25 : 1;
      if (shown !== expected || leads !== wanted)
        throw new Error(
          `${name} returns ${leads} leads with ${shown} for ${operation}, instead of ${expected}`,
        );
    }
  }
}

/** Throws if a tenant without leads gets any, for servers that know tenants by their header. */
async function checkTenants({ name, url, requests: { list } }: Answering): Promise<void> {
  if (!(TENANT_HEADER in list.headers)) return;
  const headers = { ...list.headers, [TENANT_HEADER]: crypto.randomUUID() };
  const { leads } = shownBy(await ask(url, { ...list, headers }));
  if (leads > 0) throw new Error(`${name} returns leads of another tenant`);
}

async function ask(url: string, { method, paths, headers, bodies, failure }: PlainRequest): Promise<string> {
  const body = bodies?.[0]?.replaceAll(MARK, crypto.randomUUID());
  const reply = await fetch(`${url}${paths[0]}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await reply.text();
  if (!reply.ok || (failure !== undefined && text.includes(failure)))
    throw new Error(`${method} ${url}${paths[0]}: ${reply.status} ${text.slice(0, 500)}`);
  return text;
}
