// Steps of the staging check over HTTP: a write of each interface, and a job. All in a tenant that is deleted afterwards.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { ConnectionError, Placar } from '../../clients/typescript/src/index.ts';
import { notChecked, type Step, step } from './step.ts';

const JOB_LIMIT_MS = 90_000;
const adviceFor = (error: unknown): string =>
  isUnreachable(error) || (error instanceof Error && isUnreachable(error.cause))
    ? 'nothing responds at FUNCTIONS_URL: check the address, and that the functions are deployed'
    : 'look for the request id in admin.request_log, and read the log of the function';

/** A sync that failed has this error as its cause. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof ConnectionError || error instanceof TypeError;

interface InterfaceOptions {
  functionsUrl: string;
  excludedFunctions: readonly string[];
}

export async function checkInterfaces(sql: postgres.Sql, options: InterfaceOptions): Promise<Step[]> {
  const slug = `staging-check-${randomUUID().slice(0, 8)}`;
  const [tenant] = await sql<{ id: string }[]>`select admin.create_tenant('Staging check', ${slug}) as id`;
  if (!tenant) throw new Error('admin.create_tenant returned nothing.');
  const steps: Step[] = [];
  try {
    steps.push(...(await writeEach(sql, tenant.id, options)));
  } catch (error) {
    steps.push(await step('credentials', 'see the error', () => Promise.reject(error)));
  } finally {
    const todo = `select * from admin.delete_tenant('${tenant.id}', '${slug}')`;
    steps.push(
      await step('clean up', todo, async () => {
        await sql`select from admin.delete_tenant(${tenant.id}, ${slug})`;
        return `deleted the tenant ${slug}`;
      }),
    );
  }
  return steps;
}

async function writeEach(
  sql: postgres.Sql,
  tenantId: string,
  { functionsUrl, excludedFunctions }: InterfaceOptions,
): Promise<Step[]> {
  const [key] =
    await sql`select api_key from admin.create_api_key(${tenantId}, 'Staging check', array['default:sync', 'payments:read', 'payments:write'])`;
  const [client] = await sql`
    select client_id, client_secret from admin.create_oauth_client(${tenantId}, 'Staging check', array['admin'])`;
  const { client_id: clientId, client_secret: clientSecret } = client ?? {};
  const retry = { maxRetries: 0 };
  const placar = new Placar({ url: functionsUrl, apiKey: key?.api_key, clientId, clientSecret, ...retry });
  const email = 'staging-check@example.com';
  return [
    await step('write: default-integration', adviceFor, async () => {
      await placar.collaborators.sync([{ external_id: '1', name: 'Staging Check', email }]);
      return 'stored a collaborator';
    }),
    await step('write: v1', adviceFor, async () => {
      const { id } = await placar.leads.create({ name: 'Staging Check', email });
      return `stored the lead ${id}, with a token of oauth`;
    }),
    await step('write: payments', adviceFor, async () => {
      const { id } = await placar.invoices.create({
        customer: { country: 'BR', tax_id: '52998224725', name: 'Staging Check', email },
        amount: 1000,
        currency: 'BRL',
        description: 'Staging check',
        payment_method: { type: 'pix' },
      });
      return `stored the invoice ${id}`;
    }),
    excludedFunctions.includes('mcp')
      ? notChecked('write: mcp', 'DEPLOY_MCP is false')
      : await step('write: mcp', adviceFor, () => writeByMcp(functionsUrl, clientId, clientSecret)),
    await step(
      'job',
      'npm run schedule -- --env-file FILE; then see QStash in the console of Upstash, and the log of callbacks',
      () => waitForJob(placar, email),
    ),
  ];
}

async function writeByMcp(functionsUrl: string, clientId: string, clientSecret: string): Promise<string> {
  const resource = `${functionsUrl}/mcp`;
  const issued = await fetch(`${functionsUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: 'manage:gamification',
      resource,
    }),
  });
  const { access_token: token } = (await issued.json()) as { access_token?: string };
  if (!token) throw new Error(`oauth issued no token for mcp (status ${issued.status})`);
  const response = await fetch(resource, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'save_mission', arguments: { name: 'Staging check', points: 1 } },
    }),
  });
  const body = (await response.json()) as { result?: { isError?: boolean } };
  if (!body.result || body.result.isError) throw new Error(`${response.status} ${JSON.stringify(body)}`);
  return 'stored a mission, with a token of oauth';
}

/** The sandbox settles a payout by a job, which QStash or the sweep starts. */
async function waitForJob(placar: Placar, email: string): Promise<string> {
  const { id } = await placar.payouts.create({
    beneficiary: {
      name: 'Staging Check',
      document: '39053344705',
      phone: '+5511987654321',
      bank_account: { type: 'pix', key_type: 'email', key: email },
    },
    amount: 100,
    currency: 'BRL',
    purpose: 'prize',
  });
  const startedAt = Date.now();
  for (;;) {
    const { status } = await placar.payouts.get(id);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    if (status === 'paid') return `a payout was settled by a job after ${seconds} s`;
    if (Date.now() - startedAt > JOB_LIMIT_MS)
      throw new Error(`no job settled the payout ${id} within ${seconds} s (it is ${status})`);
    await pause(1000);
  }
}
