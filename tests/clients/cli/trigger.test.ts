// `placar trigger` with every event type, and its error in production.
import { createServer } from 'node:http';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { triggers } from '../../../clients/typescript/src/cli/trigger/triggers.ts';
import { connect, createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { connectAsaasTenant } from '../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { environmentOf, expectHidden, jsonLines, runCli, useCli } from './run-cli.ts';

const sql = connectDatabase(undefined, { announces: true });
const admin = connectAdmin();
useCli();

const rows = await sql<{ types: string[] }[]>`
  select private.event_types(interface) as types from unnest(array['payments', 'records']) as interface`;
const eventTypes = rows.flatMap(({ types }) => types);

/** Only real providers return money: the sandbox does not support it. */
const BY_PROVIDERS = ['invoice.refunded', 'invoice.disputed'];

test('there is a trigger for every event type, and --list names them all', async () => {
  expect(Object.keys(triggers).sort()).toEqual(eventTypes.sort());
  const { code, stdout } = await runCli(['trigger', '--list']);
  expect(code).toBe(0);
  expect(jsonLines(stdout).map(({ event }) => event)).toEqual(Object.keys(triggers));
});

describe.each(eventTypes.filter((type) => !BY_PROVIDERS.includes(type)))('%s', (type) => {
  test('causes the event and reports it with its id', async () => {
    const credentials = await createCredentials(sql);
    const ended = await runCli(['trigger', type], { env: environmentOf(credentials) });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const [told] = jsonLines(ended.stdout);
    const stored = await sql`
      select type, data ->> 'id' as id, data ->> 'user_id' as player from events
      where tenant_id = ${credentials.tenantId} and id = ${String(told?.event)}`;
    expect(stored).toMatchObject([{ type }]);
    if (type !== 'ranking.changed') expect([stored[0]?.id, stored[0]?.player]).toContain(told?.id);
    expectHidden(ended, [credentials.apiKey, credentials.clientSecret]);
  });
});

test.each(BY_PROVIDERS)('%s, at the fake of a provider', async (type) => {
  const { id: tenantId, apiKey } = await connectAsaasTenant(admin, { asksUs: true });
  const env = { ...environmentOf({ tenantId, apiKey }), PLACAR_ASAAS_URL: inject('stack').asaas_url };
  const ended = await runCli(['trigger', type], { env });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const [told] = jsonLines(ended.stdout);
  const stored = await sql`
    select type, data ->> 'id' as id from events where tenant_id = ${tenantId} and id = ${String(told?.event)}`;
  expect(stored).toEqual([{ type, id: told?.id }]);
  const { code, stderr } = await runCli(['trigger', type], { env: { ...env, PLACAR_ASAAS_URL: undefined } });
  expect(code).toBe(2);
  expect(stderr).toContain('PLACAR_ASAAS_URL');
});

test('leaves no users, badges, challenges or players behind', async () => {
  const credentials = await createCredentials(sql);
  const { tenantId } = credentials;
  const types = [
    'user.created',
    'user.deactivated',
    'badge.earned',
    'challenge.completed',
    'ranking.changed',
  ];
  for (const type of types) {
    expect(await runCli(['trigger', type], { env: environmentOf(credentials) })).toMatchObject({ code: 0 });
  }
  expect(await connect(credentials).users.list().toArray()).toEqual([]);
  const [left] = await sql`
    select (select count(*) from admin.standings where tenant_id = ${tenantId})::integer as players,
           (select count(*) from badges where tenant_id = ${tenantId})::integer as badges,
           (select count(*) from challenges where tenant_id = ${tenantId})::integer as challenges`;
  expect(left).toEqual({ players: 0, badges: 0, challenges: 0 });
});

describe('production', () => {
  test('sends a live key nowhere', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const key = 'sk_live_0123456789abcdef0123456789abcdef';
    const env = { PLACAR_URL: `http://127.0.0.1:${port}`, PLACAR_API_KEY: key };
    const ended = await runCli(['trigger', 'invoice.paid'], { env });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('staging');
    expect(asked).toBe(0);
    expectHidden(ended, [key]);
  });

  test('treats a deployment that rejects the test key as possibly production', async () => {
    const { clientId, clientSecret } = await createCredentials(sql);
    const apiKey = `sk_test_${'a'.repeat(32)}`;
    const ended = await runCli(['trigger', 'lead.created'], {
      env: environmentOf({ apiKey, clientId, clientSecret }),
    });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('may be production');
    const [leads] = await sql`
      select count(*)::integer as n from leads l
      join oauth_clients c on c.tenant_id = l.tenant_id where c.client_id = ${clientId}`;
    expect(leads?.n).toBe(0);
  });

  test('does nothing without a key, because the environment is unknown', async () => {
    const { clientId, clientSecret } = await createCredentials(sql);
    const { code, stderr } = await runCli(['trigger', 'lead.created'], {
      env: environmentOf({ clientId, clientSecret }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('PLACAR_API_KEY');
  });
});

test('--no-wait ends with only the id', async () => {
  const credentials = await createCredentials(sql);
  const { code, stdout } = await runCli(['trigger', 'lead.created', '--no-wait'], {
    env: environmentOf(credentials),
  });
  expect(code).toBe(0);
  const [told] = jsonLines(stdout);
  expect(
    await connect(credentials, { url: inject('stack').base_url }).leads.get(String(told?.id)),
  ).toMatchObject({
    id: told?.id,
  });
});
