// The published TypeScript client: its types match the documents, it is small, and it works when it is
// installed, with Node, Deno and Bun.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { generatedFolder, generatedTypes } from '../../../clients/typescript/types.ts';
import { createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { startFaultProxy } from '../../support/wire/fault-proxy.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const client = join(root, 'clients/typescript');
const deno = join(root, 'node_modules/deno/deno');
const bun = join(root, 'node_modules/.bin/bun');
const sql = connectDatabase();

test('the types match the OpenAPI documents (npm run clients)', async () => {
  const files = await generatedTypes();
  expect(readdirSync(generatedFolder).sort()).toEqual(Object.keys(files).sort());
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(generatedFolder + name, 'utf8') === text, `${name} is stale: npm run clients`).toBe(
      true,
    );
  }
});

let project = '';
const run = async (command: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
  (await promisify(execFile)(command, args, { cwd: project, env: { ...process.env, ...env } })).stdout;

/** The programs of the README, as files of a project. */
const readme = readFileSync(join(client, 'README.md'), 'utf8');
const programs = Array.from(readme.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code = '']) => code);

/** An empty project with only the package. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'placar-client-'));
  const packed = JSON.parse(
    await run('npm', ['pack', client, '--json', '--silent', '--pack-destination', project]),
  );
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(project, packed[0].filename)]);
  for (const [index, code] of programs.entries()) writeFileSync(join(project, `readme-${index}.ts`), code);
  const flows = readFileSync(join(root, 'tests/support/clients/client-flows.ts'), 'utf8');
  writeFileSync(join(project, 'flows.ts'), flows);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('the package contains what it needs and nothing else', () => {
  const folder = join(project, 'node_modules/placar');
  const entries = readdirSync(folder).sort();
  expect(entries).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest).toMatchObject({ name: 'placar', type: 'module', license: 'MIT', sideEffects: false });
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toContain(`## ${manifest.version}`);
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'placar',
  ]);
});

test('the CLI is one file, and starts when installed and in a checkout', async () => {
  const folder = join(project, 'node_modules/placar');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(await run(join(project, 'node_modules/.bin/placar'), ['--version'])).toBe(`${version}\n`);
  expect(await run(process.execPath, [join(client, 'bin/placar.js'), '--version'])).toBe(`${version}\n`);
  expect(readdirSync(join(folder, 'dist')).filter((name) => name.startsWith('cli'))).toEqual(['cli.js']);
  const bytes = gzipSync(readFileSync(join(folder, 'dist/cli.js')), { level: 9 }).length;
  console.log(`command line: ${bytes} bytes gzipped`);
  expect(bytes).toBeLessThan(212 * 1024);
});

async function sizeOf(code: string, label: string): Promise<{ bytes: number; text: string }> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    // No Node modules: workers do not have them.
    platform: 'browser',
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  const bytes = gzipSync(text, { level: 9 }).length;
  console.log(`${label}: ${bytes} bytes gzipped`);
  return { bytes, text };
}

test.each([
  ['placar/activity-sync', 'ActivitySync'],
  ['placar/payments', 'PaymentsClient'],
  ['placar/records', 'RecordsClient'],
  ['placar/webhooks', 'verifyWebhook'],
])('%s: small, and contains nothing of the other entry points', async (entry, name) => {
  const alone = await sizeOf(`export { ${name} } from '${entry}'`, entry);
  expect(alone.bytes).toBeLessThan(6.5 * 1024);
  // The main entry has the same result: unused code is removed.
  const shaken = await sizeOf(`export { ${name} } from 'placar'`, `${name} from placar`);
  expect(Math.abs(shaken.bytes - alone.bytes)).toBeLessThan(100);
  const marks = {
    'placar/activity-sync': 'sync_',
    'placar/payments': 'tax-documents',
    'placar/records': '/stages',
  };
  for (const [other, mark] of Object.entries(marks)) expect(alone.text.includes(mark)).toBe(other === entry);
});

test('placar/webhooks, with all endpoints, is smaller than 6 KB', async () => {
  const { bytes } = await sizeOf(`export * from 'placar/webhooks'`, 'placar/webhooks');
  expect(bytes).toBeLessThan(6 * 1024);
});

test('everything together is smaller than 11 KB', async () => {
  expect((await sizeOf(`export * from 'placar'`, 'placar')).bytes).toBeLessThan(11 * 1024);
});

/** Files with lines that must not compile. */
const wrongCode = {
  'wrong.ts': `import { PaymentsClient } from 'placar/payments';
import { Placar, verifyWebhook } from 'placar';
const placar = new Placar({ url: 'https://x.example' });
export const a = placar.invoices.create({ amount: 'much' });
for await (const lead of placar.leads.list({ status: 'no status' })) lead.nothing;
const event = await verifyWebhook(new Request(''), 's');
if (event.type === 'invoice.paid') event.data.previous_stage;
if (event.type === 'deal.stage_changed') event.data.previous_stage.name;
new PaymentsClient({ url: '' });
`,
  'variants.ts': `import { Placar, RecordsClient, verifyWebhook } from 'placar';
const options = { url: 'https://x.example', clientId: 'c', clientSecret: 's' };
const b = new Placar({ ...options, variant: 'b' });
for await (const lead of b.leads.list({ status: 'discarded' })) lead.assigned_to;
for await (const lead of b.leads.list()) lead.owner_id;
export const made = b.deals.create({ name: 'x', value: 1, stage: 'Proposal', contact: { name: 'Ana' } });
const c = new RecordsClient({ ...options, variant: 'c' });
for await (const lead of c.leads.list()) [lead.score, lead.stage];
for await (const lead of c.leads.list()) lead.status;
const event = await verifyWebhook<'c'>(new Request(''), 's');
if (event.type === 'lead.stage_changed') event.data.stage;
if (event.type === 'deal.won') event.data.owner_id;
const one: RecordsClient<'b'> = new RecordsClient(options);
`,
};

describe.each([
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
])('types under moduleResolution %s', (name, options) => {
  let errors: { file: string; line: number }[];
  const linesOf = (file: string) => [
    ...new Set(errors.filter((error) => error.file === file).map(({ line }) => line)),
  ];

  // One compilation for all files, because the compiler takes seconds.
  beforeAll(async () => {
    for (const [file, code] of Object.entries(wrongCode)) writeFileSync(join(project, file), code);
    writeFileSync(
      join(project, 'globals.d.ts'),
      'declare const process: { env: Record<string, string | undefined> };',
    );
    const compilerOptions = {
      ...options,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      types: [],
    };
    const readmes = programs.map((_, index) => `readme-${index}.ts`);
    const files = ['globals.d.ts', ...readmes, ...Object.keys(wrongCode)];
    writeFileSync(join(project, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions, files }));
    const tsc = join(client, 'node_modules/typescript/bin/tsc');
    const said = await run(process.execPath, [tsc, '-p', `tsconfig.${name}.json`]).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
    errors = Array.from(said.matchAll(/^([\w.-]+)\((\d+),/gm), ([, file = '', line]) => ({
      file,
      line: Number(line),
    }));
  });

  test('the examples of the README compile', () => {
    expect(errors.filter(({ file }) => !(file in wrongCode))).toEqual([]);
  });

  test('wrong code does not compile', () => {
    expect(linesOf('wrong.ts')).toEqual([4, 5, 7, 9]);
  });

  test('each variant has its own names', () => {
    expect(linesOf('variants.ts')).toEqual([5, 9, 12]);
  });
});

describe.each<[string, () => [string, string[]]]>([
  ['Node', () => [process.execPath, ['--import', join(root, 'node_modules/tsx/dist/esm/index.mjs')]]],
  [
    'Deno',
    () => [
      deno,
      ['run', '--no-check', '--no-lock', '--node-modules-dir=manual', '--allow-env', '--allow-net'],
    ],
  ],
  ['Bun', () => [bun, ['run', '--no-install']]],
])('under %s', (_, runtime) => {
  const start = async (file: string, url: string) => {
    const { apiKey, clientId, clientSecret } = await createCredentials(sql);
    const [command, args] = runtime();
    return run(command, [...args, file], {
      PLACAR_URL: url,
      PLACAR_API_KEY: apiKey,
      PLACAR_CLIENT_ID: clientId,
      PLACAR_CLIENT_SECRET: clientSecret,
    });
  };

  test('quick start of the README', async () => {
    expect(await start('readme-0.ts', inject('stack').base_url)).toMatch(
      /^2 of 2\nskipped 1\nopen INV-\d{4}-000001\n$/,
    );
  });

  test('external ids and versions in the README', async () => {
    expect(await start('readme-1.ts', inject('stack').base_url)).toBe('');
  });

  test('errors in the README', async () => {
    expect(await start('readme-4.ts', `${inject('stack').base_url}/functions/v1`)).toBe('invalid: email\n');
  });

  test('every interface, where each host first cuts the connection, then is busy, then responds too late', async () => {
    const faults = ['cut-answer', { status: 503 }, { status: 429, headers: { 'retry-after': '0' } }] as const;
    const proxy = await startFaultProxy(inject('stack').base_url, (_, nth) => faults[nth]);
    const said = JSON.parse(await start('flows.ts', proxy.url));
    expect(said).toEqual({
      sync: { total: 2500, skipped: [2400] },
      invoices: 1,
      leads: ['Ana', 'Bia', 'Caio'],
      event: 'invoice.paid',
      refused: 'signature_invalid',
      timeout: 'timeout',
      aborted: 'enough',
    });
    expect(proxy.to('/functions/v1/oauth/token')).toHaveLength(4);
  });
});

test("the README's receiver accepts webhooks", async () => {
  mkdirSync(join(project, 'receive'));
  const code = `import { receive } from '../readme-2.ts';
const headers = { 'X-Pay-Signature': 't=1,v1=00' };
const request = new Request('http://x.example', { method: 'POST', body: '{}', headers });
const response = await receive(request);
console.log(response.status, await response.text());`;
  writeFileSync(join(project, 'receive/index.ts'), code);
  const tsx = join(root, 'node_modules/tsx/dist/esm/index.mjs');
  const args = ['--import', tsx, 'receive/index.ts'];
  expect(await run(process.execPath, args, { WEBHOOK_SECRET: 'x' })).toBe('401 signature_invalid\n');
});
