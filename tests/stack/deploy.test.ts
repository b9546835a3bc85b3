// Deploys with the real Supabase CLI to a fake management API. Then runs exactly what was uploaded,
// with the Deno version that the hosted runtime is compatible with.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type FunctionName, functionNames, manifest } from '../../functions/manifest.ts';
import { claimPort } from '../../local/ports.ts';
import { startChild } from '../../local/processes.ts';
import { settingNames } from '../../shared/platform/env.ts';
import { startManagementApi, type Upload } from '../support/clients/management-api.ts';
import { waitFor } from '../support/wait-for.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = functionNames.toSorted();
const projectRef = 'abcdefghijklmnopqrst';
const accessToken = `sbp_${'0123456789'.repeat(4)}`;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'placar-deploy-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the Supabase CLI in the checkout. Returns its output. */
function supabase(...args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    // The CLI stores its own files there.
    HOME: dir,
    NO_COLOR: '1',
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_TELEMETRY_DISABLED: '1',
    SUPABASE_NO_UPDATE_NOTIFIER: '1',
  };
  return new Promise((resolve) => {
    const cli = join(root, 'node_modules', '.bin', 'supabase');
    execFile(cli, args, { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

const UPLOADS_ALLOWED = /^(functions\/|shared\/|docs\/openapi\/[\w-]+\.json$|deno\.(json|lock)$)/;
const WARNING = /warn|unknown|not recognize|deprecat|error/i;

/** Packages come from the registry, using only the upload. A package that is not in `deno.lock` is an error. */
const uploadedPackages = (folder: string, { metadata }: Upload) => ({
  flags: ['--frozen', '--node-modules-dir=none', `--config=${join(folder, metadata.import_map_path)}`],
  env: {
    DENO_DIR: join(dir, 'deno'),
    DENO_TLS_CA_STORE: 'system,mozilla',
    NO_COLOR: '1',
    HOME: dir,
    ...registryOf(process.env),
  },
});

const deno = join(root, 'node_modules/deno/deno');

/** Writes an upload to the folder from which it runs. */
function unpack(folder: string, { files }: Upload): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Downloads every package that a function may load, including lazily. Returns the output of Deno if this failed. */
function fetchPackages(folder: string, upload: Upload): Promise<string | undefined> {
  const { flags, env } = uploadedPackages(folder, upload);
  const args = ['cache', '--quiet', ...flags, join(folder, upload.metadata.entrypoint_path)];
  return new Promise((resolve) => {
    execFile(deno, args, { cwd: folder, env }, (error, _stdout, stderr) => {
      resolve(error ? stderr : undefined);
    });
  });
}

/** Starts an uploaded function as the hosted runtime would. Returns its URL. */
async function boot(name: FunctionName, folder: string, upload: Upload): Promise<string> {
  const { flags, env } = uploadedPackages(folder, upload);
  // In addition to the function: the port and the loopback address, which the hosted runtime chooses.
  const port = await claimPort();
  const entry = join(dir, `${name}.ts`);
  writeFileSync(
    entry,
    `import '${join(root, 'local/runtime/serve.ts')}';\nimport '${join(folder, upload.metadata.entrypoint_path)}';\n`,
  );
  const settings = settingNames(...manifest[name].settings);
  const given = Object.entries(inject('env')).filter(([setting]) => settings.includes(setting));
  const lines: string[] = [];
  const child = startChild(deno, ['run', '--no-prompt', '--allow-env', '--allow-net', ...flags, entry], {
    env: { ...env, ...Object.fromEntries(given), PLACAR_FUNCTION_PORT: String(port) },
    cwd: folder,
    onLine: (line) => lines.push(line),
  });
  onTestFinished(() => child.stop());
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  const url = `http://127.0.0.1:${port}`;
  const up = () =>
    fetch(url).then(
      () => true,
      () => ended,
    );
  // The packages are downloaded.
  await waitFor(up, { limitMs: 120_000 });
  expect(ended, lines.join('\n')).toBe(false);
  return url;
}

/** How this machine reaches the npm registry. */
function registryOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const reach = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'DENO_CERT',
  ];
  const values = [...reach, 'NPM_CONFIG_REGISTRY'].map((name): [string, string] => [name, env[name] ?? '']);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

test('the Supabase CLI deploys every function, and the upload starts by itself', async () => {
  const api = await startManagementApi(projectRef);
  const profile = join(dir, 'profile.yaml');
  const lines = [
    'name: stand-in',
    `api_url: ${api.url}`,
    `dashboard_url: ${api.url}`,
    'project_host: localhost',
  ];
  writeFileSync(profile, `${lines.join('\n')}\n`);

  const { code, output } = await supabase(
    ...['functions', 'deploy', '--use-api', `--remote=${projectRef}`, '--yes', '--profile', profile],
  );
  expect(output.split('\n').filter((line) => WARNING.test(line) && !line.startsWith('Uploading'))).toEqual(
    [],
  );
  expect(code, output).toBe(0);
  expect([...api.authorizations]).toEqual([`Bearer ${accessToken}`]);
  expect([...api.uploads.keys()].sort()).toEqual(names);
  expect(api.live.sort()).toEqual(names);

  const secrets = [...Object.values(inject('stack')), ...Object.values(inject('env'))].filter(
    (v) => v.length > 20,
  );
  for (const [name, { metadata, files }] of api.uploads) {
    expect(metadata).toMatchObject({
      name,
      verify_jwt: false,
      entrypoint_path: `functions/${name}/index.ts`,
      import_map_path: 'deno.json',
      static_patterns: ['deno.lock'],
    });
    const paths = [...files.keys()];
    // The bundler of the runtime uses the lockfile beside deno.json.
    expect(paths).toEqual(expect.arrayContaining([metadata.entrypoint_path, 'deno.json', 'deno.lock']));
    expect(paths.filter((path) => !UPLOADS_ALLOWED.test(path))).toEqual([]);
    const others = paths.filter(
      (path) => /^functions\/[^/]+\//.test(path) && !path.startsWith(`functions/${name}/`),
    );
    // The tools of mcp are operations of v1.
    expect(others.filter((path) => name !== 'mcp' || !path.startsWith('functions/v1/'))).toEqual([]);
    for (const [path, content] of files) {
      expect(content, path).toBe(readFileSync(join(root, path), 'utf8'));
      for (const secret of secrets) expect(content.includes(secret), path).toBe(false);
    }
  }

  for (const name of functionNames) {
    const upload = api.uploads.get(name);
    if (!upload) throw new Error(`${name} was not uploaded.`);
    const folder = join(dir, 'deployed', name);
    unpack(folder, upload);
    expect(await fetchPackages(folder, upload)).toBeUndefined();
    const url = await boot(name, folder, upload);
    const response = await fetch(`${url}/${name}/health`);
    expect(await response.json()).toEqual({ status: 'ok' });
    expect(response.status).toBe(200);
  }
  await expectRefused(api.uploads);
});

/** An indirect dependency that differs from the lockfile, or is not in it, is not deployed. */
async function expectRefused(uploads: Map<string, Upload>): Promise<void> {
  const upload = uploads.get('payments');
  if (!upload) throw new Error('payments was not uploaded.');
  const folder = join(dir, 'changed');
  unpack(folder, upload);
  const lock = join(folder, 'deno.lock');
  const text = readFileSync(lock, 'utf8');
  const entry = /"uncrypto@[^{]*\{[^}]*"sha512-([^"]{8})/.exec(text);
  if (!entry?.[1]) throw new Error('the package that this test is about is not in the lock');
  writeFileSync(lock, text.replace(entry[1], 'AAAAAAAA'));
  expect(await fetchPackages(folder, upload)).toMatch(/integrity/i);
  writeFileSync(lock, '{"version":"4"}');
  expect(await fetchPackages(folder, upload)).toMatch(/lockfile is out of date/i);
}
