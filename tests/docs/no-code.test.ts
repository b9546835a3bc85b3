// The recipes for Zapier, Make and n8n: their requests against the stack, byte for byte, and real deliveries of events to them.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { generateSigningKey } from '../../shared/webhooks/delivery/signed-request.ts';
import { connectDatabase } from '../support/database.ts';
import { filled, sectionOf, sendAs, type Tool, tablesOf } from '../support/documents/no-code.ts';
import { createOAuthClient } from '../support/oauth.ts';
import { createToken, records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Received, type Respond, startEndpoint } from '../support/webhooks/webhooks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const page = read('docs/no-code.md');
const sql = connectDatabase();
const names: Record<Tool, string> = { zapier: 'Zapier', make: 'Make', n8n: 'n8n' };

const blocks = (text: string, language: string) =>
  Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
    ([, block = '']) => block,
  );

/** The placeholders of the recipes, for a client with the scopes that the page names, in the tenant of its commands. */
let values: Record<string, string>;
let admin: string;
beforeAll(async () => {
  const [tenant] = await sql`select id from tenants where slug = 'demo'`;
  const scopes = [...page.matchAll(/`((?:read|write):(?:leads|deals))` to/g)].map(([, scope = '']) => scope);
  expect(scopes).toEqual(['write:leads', 'read:deals']);
  const client = await createOAuthClient(sql, tenant?.id, { scopes });
  values = { ...client, functions: `${inject('stack').base_url}/functions/v1` };
  admin = (await createToken(sql, tenant?.id)).token;
});

/** The access token, requested with the first table of the tool's recipe. */
async function tokenFor(tool: Tool): Promise<string> {
  const [first] = tablesOf(sectionOf(page, `Write a lead from ${names[tool]}`));
  const { status, body } = await sendAs(tool, filled(first ?? {}, values));
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
  return body.access_token;
}

/** n8n takes the token from its credential. */
const added = (tool: Tool, token: string) => (tool === 'n8n' ? [`Authorization: Bearer ${token}`] : []);

/** Creates the webhook of a recipe with its commands, wins a deal, and returns the delivery. */
async function receive(
  tool: Tool,
  respond: Respond,
  onCreated: (webhook: { public_key: string }) => void = () => {},
) {
  const endpoint = await startEndpoint(respond);
  const [prepare] = blocks(page, 'sh');
  const [create] = blocks(sectionOf(page, `React to a won deal in ${names[tool]}`), 'sh');
  const script = ['-euo', 'pipefail', '-c', `${prepare}${create}echo "$HOOK_KEY"`];
  const env = { ...process.env, LOCAL_DIR: inject('dir'), HOOK_URL: endpoint.url };
  const { stdout } = await promisify(execFile)('bash', script, { cwd: root, env });
  const [response = '', key] = stdout.trim().split('\n');
  const webhook = JSON.parse(response).data;
  expect(webhook.url).toBe(endpoint.url);
  onCreated(webhook);
  onTestFinished(async () => void (await records(admin, 'DELETE', `/webhooks/${webhook.id}`)));
  const { data: deal } = (await records(admin, 'POST', '/deals', { name: 'Fleet', value: 100 })).body;
  const closed = await records(admin, 'POST', `/deals/${deal.id}/close`, { result: 'won' });
  expect(closed.body.data).toMatchObject({ status: 'won' });
  const received = await waitFor(() => endpoint.received[0]);
  await waitFor(async () => {
    const { body } = await records(admin, 'GET', `/webhooks/${webhook.id}/deliveries`);
    return body.data[0]?.status === 'delivered';
  });
  return { received, key, deal };
}

describe.each(Object.keys(names) as Tool[])('%s', (tool) => {
  test('writes a lead, the second time without a duplicate', async () => {
    const token = await tokenFor(tool);
    const [, write] = tablesOf(sectionOf(page, `Write a lead from ${names[tool]}`));
    const step = filled(write ?? {}, { ...values, access_token: token });
    const first = await sendAs(tool, step, added(tool, token));
    const second = await sendAs(tool, step, added(tool, token));
    expect([[200, 201], 200]).toEqual([expect.arrayContaining([first.status]), second.status]);
    expect(second.body.data).toMatchObject({
      id: first.body.data.id,
      email: 'livia@form.example',
      source: 'form',
    });
    const origins = await sql`
      select origin from events where type like 'lead.%' and data->>'id' = ${first.body.data.id} order by id desc limit 1`;
    expect(page).toContain(`"${origins[0]?.origin}"`);
  });
});

test('Zapier finds the deal in the raw body and reads it', async () => {
  const success = { attempt: '1', id: '2', request_id: '1', status: 'success' };
  const { received, key, deal } = await receive('zapier', (response) =>
    response.end(JSON.stringify(success)),
  );
  expect(received.headers['x-hook-key']).toBe(key);
  const section = sectionOf(page, 'React to a won deal in Zapier');
  const [, id = ''] = new RegExp(blocks(section, 'regex')[0]?.trim() ?? '').exec(received.body) ?? [];
  expect(await readDeal('zapier', id)).toMatchObject({ id: deal.id, status: 'won' });
});

test('Make checks the API key, parses the body and reads the deal', async () => {
  const { received, key, deal } = await receive('make', (response) => response.end('Accepted'));
  expect(received.headers['x-make-apikey']).toBe(key);
  expect(await readDeal('make', JSON.parse(received.body).data.id)).toMatchObject({
    id: deal.id,
    status: 'won',
  });
});

async function readDeal(tool: Tool, deal_id: string) {
  const access_token = await tokenFor(tool);
  const [step] = tablesOf(sectionOf(page, `React to a won deal in ${names[tool]}`));
  const { status, body } = await sendAs(tool, filled(step ?? {}, { ...values, access_token, deal_id }));
  expect(status).toBe(200);
  return body.data;
}

test('the Code node of n8n verifies the signature', async () => {
  let key = '';
  const { received, deal } = await receive(
    'n8n',
    async (response, _index, delivery) => {
      const result = await runCode(key, delivery).catch(() => undefined);
      response.writeHead(result ? 200 : 500).end(JSON.stringify(result?.[0]?.json));
    },
    ({ public_key }) => {
      key = public_key;
    },
  );
  const event = JSON.parse(received.body);
  expect(event.data.id).toBe(deal.id);
  expect(await runCode(key, received)).toEqual([{ json: event }]);
  const rejected = /not signed by Placar, or it is too old/;
  const changed = { ...received, body: received.body.replace(deal.id, 'deal_1') };
  await expect(runCode(key, changed)).rejects.toThrow(rejected);
  await expect(runCode(generateSigningKey().publicKey, received)).rejects.toThrow(rejected);
  const { 'webhook-signature': _, ...unsigned } = received.headers;
  await expect(runCode(key, { ...received, headers: unsigned })).rejects.toThrow(rejected);
  await expect(runCode(key, received, 400)).rejects.toThrow(rejected);
});

/** Runs the code with what n8n gives to a Code node. `laterSeconds` moves its clock. */
async function runCode(publicKey: string, { headers, body }: Received, laterSeconds = 0) {
  const [code = ''] = blocks(sectionOf(page, 'React to a won deal in n8n'), 'js');
  const require = createRequire(import.meta.url);
  const context = {
    Buffer,
    Date: { now: () => Date.now() + laterSeconds * 1000 },
    require: (name: string) => {
      if (name !== 'crypto') throw new Error(`Cannot find module '${name}'`);
      return require(name);
    },
    $input: { first: () => ({ json: { headers, params: {}, query: {}, body: JSON.parse(body) } }) },
    helpers: { getBinaryDataBuffer: async () => Buffer.from(body) },
  };
  const wrapped = `(async function () { ${code.replace('whpk_...', publicKey)} }).call(this)`;
  const result: { json: unknown }[] = await runInNewContext(wrapped, context);
  return JSON.parse(JSON.stringify(result)) as typeof result;
}

test('the Portuguese page has the same values', () => {
  const portuguese = read('docs/pt/no-code.md');
  expect(tablesOf(portuguese).map((table) => Object.values(table))).toEqual(
    tablesOf(page).map((table) => Object.values(table)),
  );
});

test('the blocks of the page, pasted in order, twice: six webhooks, and each gets the deals that are won after it', async () => {
  const pasted = blocks(page, 'sh').join('');
  const env: NodeJS.ProcessEnv = { ...process.env, LOCAL_DIR: inject('dir') };
  delete env.HOOK_URL;
  const script = ['-euo', 'pipefail', '-c', `${pasted}${pasted}`];
  const { stdout } = await promisify(execFile)('bash', script, { cwd: root, env });
  const made = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).data);
  const webhooks = made.filter(({ url }) => url);
  onTestFinished(async () => {
    for (const { id } of webhooks) await records(admin, 'DELETE', `/webhooks/${id}`);
  });
  expect(new Set(webhooks.map(({ url }) => url)).size).toBe(6);
  expect(made.filter(({ status }) => status === 'won')).toHaveLength(2);
  await waitFor(async () => {
    const [row] = await sql`
      select count(distinct endpoint_id)::integer as count from webhook_deliveries
      where endpoint_id = any(${webhooks.map(({ id }) => id)}) and status = 'delivered'`;
    return row?.count === 6;
  });
});
