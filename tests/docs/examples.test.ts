// The commands in the README and the docs, and the examples, work as written.
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { Webhook } from 'standardwebhooks';
import { expect, inject, onTestFinished, test } from 'vitest';
import { claimPort } from '../../local/ports.ts';
import { connectDatabase } from '../support/database.ts';
import { createAdminTenant } from '../support/records/admin-examples.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Points the examples to the test suite's stack, which has its own port and folder. */
const env: NodeJS.ProcessEnv = { ...process.env, LOCAL_DIR: inject('dir') };

const run = async (command: string, args: string[]) =>
  // The output can be large: standings include every tenant of the stack.
  (await promisify(execFile)(command, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })).stdout;

/** The section of a page below a level-2 heading. */
function sectionOf(page: string, heading: string): string {
  const sections = readFileSync(join(root, page), 'utf8').split(/^## /m);
  return sections.find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The shell blocks of a text, in order, as a user would paste them. */
const shellBlocks = (text: string): string =>
  Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block]) => block).join('\n');

/** The first line of the quick starts. */
const LOAD = 'eval "$(npm run -s env)"\n';

const quickStart = (heading: string) => shellBlocks(sectionOf('docs/quick-starts.md', heading));

test('README: the first request', async () => {
  const section = sectionOf('README.md', 'Run it').replace('npm ci && npm start\n', '');
  expect(await run('bash', ['-euo', 'pipefail', '-c', shellBlocks(section)])).toMatch(
    /"data":\{"created":[01],"existing":[01],"errors":\[\],"total":1\}/,
  );
});

test('MCP server: calls a tool with a token for it', async () => {
  const script = shellBlocks(sectionOf('docs/mcp.md', 'Call a tool'));
  expect(await run('bash', ['-euo', 'pipefail', '-c', script])).toMatch(/"structuredContent":\{"items":\[/);
});

test('a workspace is set up, and the second time nothing changes', async () => {
  const { client } = await createAdminTenant(sql);
  const provision = async () => {
    const { base_url: url } = inject('stack');
    const own = {
      ...{ PLACAR_BASE_URL: url, PLACAR_AUTH_URL: url },
      ...{ PLACAR_CLIENT_ID: client.client_id, PLACAR_CLIENT_SECRET: client.client_secret },
    };
    const args = ['--import', 'tsx', 'docs/examples/provision.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: root,
      env: { ...env, ...own },
    });
    return stdout.trim().split('\n');
  };
  const [first, second] = [await provision(), await provision()];
  expect(first).toContain('/tiers: Created tier "Gold".');
  expect(first.at(-1)).toBe('A client was created.');
  expect(second.map((line) => line.split(': ')[1])).toEqual(Array(first.length - 1).fill('Nothing changed.'));
}, 60_000);

test('quick start "Sync activities": a collaborator, a signed activity, and its points', async () => {
  const script = quickStart('Sync activities');
  const output = await run('bash', ['-euo', 'pipefail', '-c', script]);
  expect(output).toMatch(/"data":\{"created":[01],"existing":[01],"errors":\[\],"total":1\}/);
  expect(output).toContain(
    '"data":{"processed":1,"skipped":0,"skipped_items":[],"duplicates":0,"duplicate_items":[],"unmapped":0,"errors":[],"total":1}',
  );
  expect(output).toMatch(/Bruno Lima\s+25/);
});

test.each([
  ['TypeScript', process.execPath, ['--import', 'tsx', 'docs/examples/sign.ts']],
  ['Python', 'python3', ['docs/examples/sign.py']],
])('the API accepts the signing example in %s', async (_, command, args) => {
  const line = [command, ...args].join(' ');
  expect(await run('bash', ['-euo', 'pipefail', '-c', LOAD + line])).toMatch(
    /^200 \{"data":\{"created":[01],"existing":[01],"errors":\[\],"total":1\}/,
  );
});

test('quick start "Bill someone": invoice, payment, ledger entry, webhook', async () => {
  const script = quickStart('Bill someone');
  const output = await run('bash', ['-euo', 'pipefail', '-c', script]);
  expect(output).toMatch(/"status":"paid"/);
  expect(output).toMatch(/"data":\[\{.*"type":"charge"/);
  expect(output).toMatch(/INV-\d{4}-\d{6} is open; the payer pastes\s+000201/);
  expect(output).toMatch(/INV-\d{4}-\d{6} is paid/);
  expect(output).toContain("type: 'charge'");
  expect(output).toMatch(/Webhook: invoice\.paid, inv_\w{26} is paid, signed t=\d+,v1=[0-9a-f]{64}/);
});

test('quick start "Sync your CRM": a lead, its deal, their webhooks, and a two-way sync', async () => {
  const script = quickStart('Sync your CRM');
  const output = await run('bash', ['-euo', 'pipefail', '-c', script]);
  expect(output).not.toContain('"error"');
  expect(output).toMatch(/"email":"nina-\d+@shop\.example".*"status":"new"/);
  expect(output).toMatch(/"page":1,"per_page":5,"total":1,"total_pages":1/);
  expect(output).toMatch(/"phone":"\+55 11 5555-0100".*"status":"qualified"/);
  expect(output).toMatch(
    /"lead":\{.*"status":"converted".*"deal":\{.*"value":1250\.5,"stage":\{.*"name":"Prospecting"/,
  );

  const inboxPath = `/crm-${/"email":"nina-(\d+)@/.exec(output)?.[1]}`;
  const received = await waitFor(async () => {
    const all: { path: string; headers: Record<string, string>; body: string }[] = await (
      await fetch(inject('stack').inbox_url)
    ).json();
    const events = all.filter(({ path, body }) => path === inboxPath && body.includes('@shop.example'));
    return events.length === 5 && events;
  });
  const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(output) ?? [];
  for (const { headers, body } of received) {
    new Webhook(secret).verify(body, headers);
    const expected = createHmac('sha256', secret).update(body).digest('hex');
    expect(headers['x-service-signature']).toBe(`sha256=${expected}`);
  }
  const events = received.map(({ body }) => JSON.parse(body));
  expect(Object.fromEntries(events.map(({ type, origin }) => [type, origin]))).toEqual({
    'lead.created': 'my-crm',
    'lead.updated': undefined,
    'lead.status_changed': undefined,
    'lead.converted': undefined,
    'deal.created': undefined,
  });

  expect(output).toContain('pushed   ana.prado@crm.example: created');
  expect(output).toContain(
    'failed   not an address: [{"field":"email","message":"must be a valid email address"}]',
  );
  expect(output).toMatch(/webhook {2}lead\.created \S+@crm\.example: own change/);
  expect(output).toContain('webhook  lead.updated rui.costa@crm.example: stored');
  expect(output).toContain('phone    the same on both sides');
  // Only Nina: the program already has the state of its own contacts and recognizes it by `updated_at`.
  expect(output).toContain('read     leads stored: 1');
  expect(output).toContain('feed     lead.updated rui.costa@crm.example: stored');
  expect(output).toContain('phone    the same on both sides again');

  const again = await run('bash', ['-euc', `${LOAD}node --import tsx docs/examples/crm.ts`]);
  expect(again).toContain('pushed   ana.prado@crm.example: updated');
  expect(again).toContain('webhook  lead.updated rui.costa@crm.example: own change');
  expect(again).toContain('webhook  lead.updated rui.costa@crm.example: stored');
  expect(again).toContain('phone    the same on both sides again');
});

test.each([
  ['records.md', /"value":1250\.5,"stage":\{.*"status":"open","contact_name":"Nina Reis"/],
  [
    'records-sync.md',
    /"external_id":"crm-5"[\s\S]*"results":\[\{"status":200,"data":.*\{"status":200,"data":.*"tags":\["fleet"\]/,
  ],
  ['pagination.md', /"data":\[.*"meta":\{.*"page":1,"per_page":10,/],
  ['variants.md', /"stage":"Proposal",.*"contact":\{"name":"Nina",.*"currency":"USD"/],
])('%s: the curl command', async (page, answer) => {
  const [, token = ''] = /^(TOKEN=[\s\S]*?\))\n/m.exec(quickStart('Sync your CRM')) ?? [];
  const script = shellBlocks(readFileSync(join(root, 'docs', page), 'utf8'));
  const pasted = [LOAD, token, script].join('\n');
  expect(await run('bash', ['-euo', 'pipefail', '-c', pasted])).toMatch(answer);
});

test('authentication.md, "Access tokens": a token with curl', async () => {
  const page = readFileSync(join(root, 'docs/authentication.md'), 'utf8');
  const script = /^## Access tokens\n[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '';
  const answer = JSON.parse(await run('bash', ['-euo', 'pipefail', '-c', script]));
  expect(answer).toEqual({
    access_token: expect.stringMatching(/^eyJ/),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: expect.stringContaining('admin'),
  });
});

test('administration.md: a statement from a shell', async () => {
  const script = shellBlocks(readFileSync(join(root, 'docs/administration.md'), 'utf8'));
  const output = await run('bash', ['-euo', 'pipefail', '-c', script]);
  expect(output).toMatch(/^demo\s+demo$/m);
  expect(output).toMatch(/^Visit\s+25\s/m);
});

test('the signing key for production is one line of an environment file', async () => {
  const line = await run('npm', ['run', '-s', 'signing-key']);
  const [, key = ''] = /^OAUTH_SIGNING_KEY='(\{[^'\n]+\})'\n$/.exec(line) ?? [];
  expect(JSON.parse(key)).toMatchObject({ kty: 'EC', crv: 'P-256', d: expect.any(String) });
});

/** The program of a quick start in a language, as a file that is saved in the project's folder. */
function saveQuickStart(heading: string, language: Language): { command: string; args: string[] } {
  const { fence, file, command } = languages[language];
  const section = sectionOf('docs/quick-starts.md', heading);
  const [, code = ''] = new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(section) ?? [];
  // Inside the project's folder, but ignored by Git.
  mkdirSync(join(root, '.local'), { recursive: true });
  const folder = mkdtempSync(join(root, '.local/quick-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, file), code);
  return { command: 'bash', args: ['-euc', `${LOAD}exec ${command} ${join(folder, file)}`] };
}

const languages = {
  TypeScript: { fence: 'ts', file: 'quick.ts', command: 'npx tsx' },
  Python: { fence: 'python', file: 'quick.py', command: 'env PYTHONPATH=clients/python/src python3' },
} as const;
type Language = keyof typeof languages;

test.each(Object.entries(languages))(
  'quick starts explain how to run the programs in %s',
  (name, { command }) => {
    const shown = `${command.replace('env ', '')} quick`;
    expect(readFileSync(join(root, 'docs/quick-starts.md'), 'utf8')).toMatch(
      new RegExp(`^\\| ${name} \\| [^|]*${shown}`, 'm'),
    );
  },
);

test.each([
  ['Sync activities', /^[01] recorded, [01] known, 0 skipped$/],
  ['Sync your CRM', /^\w+@fair\.example new\n1250\.5 Prospecting$/],
  ['Bill someone', /^INV-\d{4}-(\d{6}) open\nINV-\d{4}-\1 paid\ncharge \d+ BRL$/],
])('quick start "%s" in TypeScript and Python', async (heading, said) => {
  for (const language of ['TypeScript', 'Python'] as const) {
    const { command, args } = saveQuickStart(heading, language);
    expect((await run(command, args)).trim(), language).toMatch(said);
  }
});

test.each(['TypeScript', 'Python'] as const)(
  'quick start "Receive webhooks": the receiver in %s gets what the pasted commands cause',
  async (language) => {
    const [secret = '', cause = ''] = shellBlocks(
      sectionOf('docs/quick-starts.md', 'Receive webhooks'),
    ).split(LOAD);
    const port = await claimPort();
    const { WEBHOOK_SECRET } = JSON.parse(
      await run('bash', ['-euc', `${secret}exec node -p 'JSON.stringify(process.env)'`]),
    );
    const pasted = { ...env, WEBHOOK_SECRET, WEBHOOK_PORT: String(port) };
    const { command, args } = saveQuickStart('Receive webhooks', language);
    // Its own process group, so that processes started by npx end with it.
    const receiver = spawn(command, args, { cwd: root, env: pasted, detached: true });
    onTestFinished(() => {
      if (receiver.pid !== undefined) process.kill(-receiver.pid, 'SIGTERM');
    });
    let output = '';
    for (const stream of [receiver.stdout, receiver.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    await waitFor(() => output.includes('listening'));
    const script = ['-euo', 'pipefail', '-c', LOAD + cause];
    const paste = (settings: NodeJS.ProcessEnv) =>
      promisify(execFile)('bash', script, { cwd: root, env: settings });
    // An earlier run left a webhook with another secret.
    await paste({ ...pasted, WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}` });
    const { stdout } = await paste(pasted);
    const sql = postgres(inject('stack').database_url, { max: 1, onnotice: () => {} });
    onTestFinished(async () => {
      await sql`delete from webhook_endpoints where url = ${`http://127.0.0.1:${port}/`}`;
      await sql.end();
    });
    const [, email = ''] = /"email":"(caio-\d+@hooks\.example)"/.exec(stdout) ?? [];
    await waitFor(() => output.includes(`lead.created ${email}`));
  },
);
