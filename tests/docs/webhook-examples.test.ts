// The receivers of the documentation, with deliveries as they are really sent.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { createWebhook, deliveryRow, emitOne, replay, startDeliverer } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = {
  TypeScript: [process.execPath, '--import', 'tsx', 'docs/examples/verify-webhook.ts'],
  Python: ['python3', 'docs/examples/verify-webhook.py'],
};
type Language = keyof typeof examples;
const languages = Object.keys(examples) as Language[];

const startReceiver = (language: Language, secret: string) => startProgram(examples[language], secret);

async function startProgram(
  [command = '', ...args]: string[],
  secret: string,
): Promise<{ url: string; lines(): string[] }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH, HOME, PORT: '0', WEBHOOK_SECRET: secret, PYTHONPATH: 'clients/python/src:clients/python' },
  });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const port = await waitFor(() => /listening on (\d+)/.exec(output)?.[1]);
  return { url: `http://127.0.0.1:${port}/`, lines: () => output.trim().split('\n').slice(1) };
}

/** A webhook whose secret is known before its receiver starts. */
async function createReceiver(language: Language, door: 'payments' | 'records', receiverSecret?: string) {
  const { id: tenantId } = await createTenant(sql);
  const { id, secret } = await createWebhook(sql, tenantId, 'https://example.com');
  const receiver = await startReceiver(language, receiverSecret ?? secret);
  await sql`update webhook_endpoints set url = ${receiver.url}, interface = ${door} where id = ${id}`;
  return { tenantId, id, ...receiver };
}

test.each(languages)(
  'the receiver in %s reports a port in use in one line, with the setting that changes it',
  async (language) => {
    const { url } = await startReceiver(language, 'secret');
    const [command = '', ...args] = examples[language];
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, PORT: new URL(url).port, WEBHOOK_SECRET: 'secret' };
    await expect(promisify(execFile)(command, args, { cwd: root, env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^[^\n]*in use[^\n]*PORT=\d+\n$/),
    });
  },
);

for (const language of languages) {
  test(`the receiver in ${language} verifies payments and records, and recognizes duplicates`, async () => {
    const { publish } = await startDeliverer();
    for (const door of ['payments', 'records'] as const) {
      const { tenantId, lines } = await createReceiver(language, door);
      const data = { description: 'José \u{1F600}' };
      const delivery = await emitOne(sql, tenantId, { interface: door, type: 'invoice.paid', data });
      await publish(delivery);
      await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
      await publish(await replay(sql, delivery.id));
      await waitFor(() => lines().length === 2);
      const [first, second] = lines();
      expect(first).toMatch(new RegExp(`^verified invoice.paid evt_\\w+ ${delivery.id}$`));
      expect(second).toBe(first?.replace('verified', 'again'));
    }
  });

  test(`the receiver in ${language} rejects another secret, and accepts the old one during a rotation`, async () => {
    const { publish } = await startDeliverer();
    for (const door of ['payments', 'records'] as const) {
      const { tenantId, lines } = await createReceiver(language, door, 'whsec_of_somebody_else');
      const delivery = await emitOne(sql, tenantId, { interface: door });
      await publish(delivery);
      await waitFor(async () => (await deliveryRow(sql, delivery.id))?.last_status === 401);
      expect(lines()).toEqual([]);
    }
    const { tenantId, id, lines } = await createReceiver(language, 'payments');
    await sql`select admin.rotate_webhook_secret(${id})`;
    await publish(await emitOne(sql, tenantId));
    await waitFor(() => lines().length === 1);
  });
}

/** The first program of docs/webhooks.md in a language, and the lines that serve its `app`. */
const endpoints: Record<Language, { fence: string; file: string; serve: string; command: string[] }> = {
  TypeScript: {
    fence: 'ts',
    file: 'endpoint.ts',
    serve: `
const server = app.listen(0, '127.0.0.1', () => console.log('listening on', (server.address() as { port: number }).port));`,
    command: [process.execPath, '--import', 'tsx'],
  },
  Python: {
    fence: 'python',
    file: 'endpoint.py',
    serve: `
import functools, time
from tests.webhook_servers import asgi_server
print = functools.partial(print, flush=True)
with asgi_server(app) as port:
    print("listening on", port)
    time.sleep(600)
`,
    command: ['python3'],
  },
};

test.each(languages)('the endpoint in %s of docs/webhooks.md gets each event once', async (language) => {
  const { fence, file, serve, command } = endpoints[language];
  const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
  const [, code = ''] = new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? [];
  // Inside the project's folder, so that its packages are found, but ignored by Git.
  mkdirSync(join(root, '.local'), { recursive: true });
  const folder = mkdtempSync(join(root, '.local/endpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, file), code + serve);
  const { id: tenantId } = await createTenant(sql);
  const { id, secret } = await createWebhook(sql, tenantId, 'https://example.com');
  const { url, lines } = await startProgram([...command, join(folder, file)], secret);
  await sql`update webhook_endpoints set url = ${`${url}hooks/placar`} where id = ${id}`;
  const { publish } = await startDeliverer();
  const delivery = await emitOne(sql, tenantId, { type: 'deal.won', data: { name: 'José' } });
  await publish(delivery);
  await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
  await publish(await replay(sql, delivery.id));
  await waitFor(async () => (await deliveryRow(sql, delivery.id))?.attempts === 2);
  expect(lines().filter((line) => line.startsWith('won'))).toEqual(['won José']);
});
