// `placar listen` and `placar events tail`: received events and their signatures. Neither an unreachable receiver nor a kill loses events.

import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { verifyWebhook } from '../../../clients/typescript/src/webhooks.ts';
import { connect, createCredentials, newInvoice } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createWebhook, type Received, startEndpoint } from '../../support/webhooks/webhooks.ts';
import { startFaultProxy } from '../../support/wire/fault-proxy.ts';
import {
  environmentOf,
  expectHidden,
  jsonLines,
  newFolder,
  type Running,
  runCli,
  startCli,
  untilPrinted,
  useCli,
} from './run-cli.ts';

const sql = connectDatabase(undefined, { announces: true });
useCli();

const newLead = (n: number) => ({ name: `Lead ${n}`, email: `lead-${n}@example.com` });
const typeOf = ({ body }: Received): string => JSON.parse(body).type;
const nameOf = ({ body }: Received): string => JSON.parse(body).data.name;

async function untilListening(running: Running): Promise<string> {
  const start = await untilPrinted(running, ([first]) => first);
  expect(start).toMatchObject({ listening: true });
  return String(start.secret);
}

async function createListener() {
  const credentials = await createCredentials(sql);
  return { credentials, placar: connect(credentials), env: environmentOf(credentials), cwd: newFolder() };
}

describe('delivered events', () => {
  test('have the format of a webhook delivery, signed with the printed secret', async () => {
    const { credentials, placar, env, cwd } = await createListener();
    const [hook, endpoint] = [await startEndpoint(), await startEndpoint()];
    await createWebhook(sql, credentials.tenantId, `${hook.url}/payments`);
    await placar.webhooks.create({
      url: `${hook.url}/records`,
      events: ['lead.created'],
      secret: 'generate',
    });
    const running = startCli(['listen', '--forward-to', endpoint.url], { env, cwd });
    const secret = await untilListening(running);
    const publicKey = String((await untilPrinted(running, ([first]) => first)).public_key);
    const invoice = await placar.invoices.create(newInvoice());
    await placar.invoices.payInSandbox(invoice.id);
    await placar.leads.create(newLead(1), { origin: 'my-crm' });
    await waitFor(() => endpoint.received.length === 2 && hook.received.length === 2);

    for (const type of ['invoice.paid', 'lead.created']) {
      const forwarded = endpoint.received.find((one) => typeOf(one) === type) as Received;
      const delivered = hook.received.find((one) => typeOf(one) === type) as Received;
      expect(forwarded.body).toBe(delivered.body);
      expect(Object.keys(forwarded.headers).sort()).toEqual(Object.keys(delivered.headers).sort());
      const differ = Object.keys(forwarded.headers).filter(
        (name) => forwarded.headers[name] !== delivered.headers[name],
      );
      const own = /^(host|webhook-(id|timestamp|signature)|x-(pay|service)-(delivery|signature))$/;
      expect(differ.filter((name) => !own.test(name))).toEqual([]);
      expect(await verifyWebhook(forwarded, secret)).toMatchObject({ type });
      await expect(verifyWebhook(forwarded, 'whsec_AAAA')).rejects.toThrow('signature');
      expect(await verifyWebhook(forwarded, [secret, publicKey])).toMatchObject({ type });
      await expect(verifyWebhook(delivered, publicKey)).rejects.toThrow('signature');
    }
    const lead = endpoint.received.find((one) => typeOf(one) === 'lead.created');
    expect(JSON.parse(lead?.body ?? '{}')).toMatchObject({ origin: 'my-crm' });

    await untilPrinted(running, (lines) => lines[2]);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(ended.stdout).filter(({ type }) => type === 'invoice.paid')).toMatchObject([
      { interface: 'payments', attempt: 1, status: 200, error: null, again_in_ms: null },
    ]);
    expect(jsonLines(ended.stdout).at(-1)).toMatchObject({
      listening: false,
      since: expect.stringMatching(/^payments:.+,records:.+$/),
    });
    expectHidden(ended, [credentials.apiKey, credentials.clientSecret]);
    const file = join(cwd, '.config/placar/listen-secrets.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Object.values(JSON.parse(readFileSync(file, 'utf8')))).toEqual([secret]);
    expect(statSync(join(cwd, '.config/placar/listen-keys.json')).mode & 0o777).toBe(0o600);
  });

  test('are only of the requested types; credentials for one interface are enough for its types', async () => {
    const { credentials, placar, env, cwd } = await createListener();
    const endpoint = await startEndpoint();
    const own = { ...env, PLACAR_API_KEY: undefined };
    const args = ['listen', '--forward-to', endpoint.url, '--events', 'lead.*,deal.won'];
    const running = startCli(args, { env: own, cwd });
    await untilListening(running);
    const lead = await placar.leads.create(newLead(1));
    const { deal } = await placar.leads.convert(lead.id, {});
    await placar.deals.update(deal.id, { value: 5 });
    await placar.deals.close(deal.id, { result: 'won' });
    await waitFor(() => endpoint.received.length === 3);
    expect(endpoint.received.map(typeOf).sort()).toEqual(['deal.won', 'lead.converted', 'lead.created']);
    const missing = await runCli(['listen', '--forward-to', endpoint.url, '--events', 'invoice.paid'], {
      env: own,
    });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('PLACAR_API_KEY');
    expectHidden(missing, [credentials.clientSecret]);
  });

  test('use the variant of the caller', async () => {
    const { placar, env, cwd } = await createListener();
    const endpoint = await startEndpoint();
    const args = ['listen', '--forward-to', endpoint.url, '--events', 'lead.stage_changed', '--variant', 'c'];
    const running = startCli(args, { env, cwd });
    await untilListening(running);
    const { id } = await placar.leads.create(newLead(1));
    await placar.leads.update(id, { status: 'qualified' });
    await waitFor(() => endpoint.received.length === 1);
    expect(endpoint.received[0]?.headers['x-service-event']).toBe('lead.stage_changed');
  });

  test('are signed with the secret of a variable, which is not printed', async () => {
    const { placar, env, cwd } = await createListener();
    const endpoint = await startEndpoint();
    const secret = 'whsec_bXkgb3duIHNlY3JldCBvZiAyNCBieXRlcw==';
    const args = ['listen', '--forward-to', endpoint.url, '--secret-env', 'HOOK_SECRET'];
    const running = startCli(args, { env: { ...env, HOOK_SECRET: secret }, cwd });
    expect(await untilListening(running)).toBe('undefined');
    await placar.leads.create(newLead(1));
    await waitFor(() => endpoint.received.length === 1);
    expect(await verifyWebhook(endpoint.received[0] as Received, secret)).toMatchObject({
      type: 'lead.created',
    });
    running.kill('SIGTERM');
    expectHidden(await running.ended, [secret]);
    expect(await runCli(args, { env, cwd })).toMatchObject({ code: 2 });
  });
});

describe('failures', () => {
  test('a rejected event is retried while the others are delivered', async () => {
    const { placar, env, cwd } = await createListener();
    let refusals = 0;
    const endpoint = await startEndpoint((response, _, received) => {
      const refused = nameOf(received) === 'Lead 1' && refusals++ < 2;
      response.writeHead(refused ? 500 : 204).end();
    });
    const running = startCli(['listen', '--forward-to', endpoint.url], { env, cwd });
    await untilListening(running);
    for (const n of [1, 2, 3]) await placar.leads.create(newLead(n));
    const taken = await untilPrinted(running, (lines) =>
      lines.find(({ attempt, status }) => attempt === 3 && status === 204),
    );
    const attempts = running.lines().filter(({ event }) => event === taken.event);
    expect(attempts).toMatchObject([
      { attempt: 1, status: 500, error: 'the receiver returned 500', again_in_ms: 1000 },
      { attempt: 2, status: 500, again_in_ms: 2000 },
      { attempt: 3, status: 204, error: null, again_in_ms: null },
    ]);
    expect(new Set(attempts.map(({ delivery }) => delivery)).size).toBe(1);
    const order = endpoint.received.map(nameOf);
    expect(order.indexOf('Lead 3')).toBeLessThan(order.lastIndexOf('Lead 1'));
  });

  test('if no program listens, this is reported and listening continues', async () => {
    const { placar, env, cwd } = await createListener();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const running = startCli(['listen', '--forward-to', `http://127.0.0.1:${port}/hook`], { env, cwd });
    await untilListening(running);
    await placar.leads.create(newLead(1));
    await placar.leads.create(newLead(2));
    await untilPrinted(running, (lines) => lines.filter(({ attempt }) => attempt === 2).length === 2);
    expect(running.lines()[1]).toMatchObject({
      status: null,
      error: 'connection refused: no program listens on this port',
    });
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  test('after a kill and restart: the same secret, the same delivery ids, nothing lost', async () => {
    const { placar, env, cwd } = await createListener();
    let up = false;
    const endpoint = await startEndpoint((response) => void response.writeHead(up ? 200 : 503).end());
    const args = ['listen', '--forward-to', endpoint.url];
    const first = startCli(args, { env, cwd });
    const secret = await untilListening(first);
    await placar.leads.create(newLead(1));
    const failed = await untilPrinted(first, (lines) => lines.find(({ attempt }) => attempt === 1));
    first.kill('SIGINT');
    const since = String(jsonLines((await first.ended).stdout).at(-1)?.since);
    await placar.leads.create(newLead(2));
    up = true;
    const second = startCli([...args, '--since', since], { env, cwd });
    expect(await untilListening(second)).toBe(secret);
    await untilPrinted(second, (lines) => lines.filter(({ status }) => status === 200).length === 2);
    second.kill('SIGKILL');
    await second.ended;
    expect(endpoint.received.slice(-2).map(nameOf).sort()).toEqual(['Lead 1', 'Lead 2']);
    const ids = endpoint.received
      .filter((one) => nameOf(one) === 'Lead 1')
      .map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([failed.delivery]));
  });

  test('a deployment that does not respond is retried', async () => {
    const { placar, env, cwd } = await createListener();
    const endpoint = await startEndpoint();
    const proxy = await startFaultProxy(inject('stack').base_url, ({ path }, nth) => {
      if (!path.includes('/v1/events') || nth === 0) return undefined;
      return nth < 3 ? { status: 503 } : nth < 5 ? 'cut' : undefined;
    });
    const args = ['listen', '--forward-to', endpoint.url, '--events', 'lead.*'];
    const running = startCli(args, { env: { ...env, PLACAR_URL: proxy.url }, cwd });
    await untilListening(running);
    await placar.leads.create(newLead(1));
    await waitFor(() => endpoint.received.length === 1);
    expect(running.stderr()).toContain('Retrying in');
  });

  test('an invalid cursor or a rejected key ends the command', async () => {
    const { env, cwd } = await createListener();
    const args = ['listen', '--forward-to', 'http://127.0.0.1:1/', '--events', 'lead.*'];
    expect(await runCli([...args, '--since', 'nonsense'], { env, cwd })).toMatchObject({ code: 1 });
    const refused = await runCli(args, { env: { ...env, PLACAR_CLIENT_SECRET: 'not-the-secret' }, cwd });
    expect(refused.code).toBe(1);
    expectHidden(refused, ['not-the-secret']);
  });
});

describe('events tail', () => {
  test('starts at the oldest event, filters types, stops after a number, and resumes', async () => {
    const { credentials, placar, env } = await createListener();
    for (const n of [1, 2, 3]) await placar.leads.create(newLead(n));
    await placar.deals.create({ name: 'Deal', value: 1 });
    const tail = ['events', 'tail', '--types', 'lead.created'];
    const first = await runCli([...tail, '--since', 'oldest', '--limit', '2'], { env });
    expect(first.code).toBe(0);
    expect(jsonLines(first.stdout)).toMatchObject([
      { interface: 'records', type: 'lead.created', data: { name: 'Lead 1' } },
      { data: { name: 'Lead 2' } },
    ]);
    const since = /--since (\S+)/.exec(first.stderr)?.[1] ?? '';
    const rest = await runCli([...tail, '--since', since, '--limit', '1'], { env });
    expect(jsonLines(rest.stdout)).toMatchObject([{ data: { name: 'Lead 3' } }]);
    const people = await runCli([...tail, '--since', 'oldest', '--limit', '1'], {
      env: { ...env, FORCE_COLOR: '1' },
    });
    expect(people.stdout).toContain('\u001b[1mlead.created');
    expectHidden(first, [credentials.apiKey, credentials.clientSecret]);
    const unknown = await runCli(['events', 'tail', '--types', 'lead.sung'], { env });
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('"lead.sung" matches no event known to this version');
    const types = ['--types', 'lead.*,lead.sung,leed.*'];
    const beside = await runCli(['events', 'tail', ...types, '--since', 'oldest', '--limit', '1'], { env });
    expect(jsonLines(beside.stdout)).toMatchObject([{ type: 'lead.created' }]);
    expect(beside.stderr.match(/"[^"]+" matches no event/g)).toEqual([
      '"lead.sung" matches no event',
      '"leed.*" matches no event',
    ]);
  });

  test('prints new events until Ctrl-C', async () => {
    const { placar, env } = await createListener();
    const running = startCli(['events', 'tail'], { env });
    await waitFor(() => running.stderr().includes('Following'));
    await placar.leads.create(newLead(1));
    await untilPrinted(running, ([first]) => first);
    running.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ type: 'lead.created' }]);
  });
});
