// Deploying with the real Supabase CLI, to a stand-in of the management API; then what was uploaded, and nothing else,
// under the Deno that the hosted runtime is compatible with.
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
import { startManagementApi, type Upload } from '../support/management-api.ts';
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

/** Runs the Supabase CLI in the checkout; returns all that it printed. */
function supabase(...args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    // The CLI keeps files of its own there.
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

const UPLOADS_ALLOWED = /^(functions\/|shared\/|deno\.json$)/;
const WARNING = /warn|unknown|not recognize|deprecat|error/i;

/** Starts an uploaded function as the hosted runtime would, and returns its address. */
async function boot(name: FunctionName, { metadata, files }: Upload): Promise<string> {
  const folder = join(dir, 'deployed', name);
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  // Beside the function: the port and the loopback address, which the hosted runtime chooses.
  const port = await claimPort();
  const entry = join(dir, `${name}.ts`);
  writeFileSync(
    entry,
    `import '${join(root, 'local/runtime/serve.ts')}';\nimport '${join(folder, metadata.entrypoint_path)}';\n`,
  );
  const settings = settingNames(...manifest[name].settings);
  const given = Object.entries(inject('env')).filter(([setting]) => settings.includes(setting));
  const config = `--config=${join(folder, metadata.import_map_path)}`;
  const flags = ['--no-lock', '--no-prompt', '--node-modules-dir=none', config, '--allow-env', '--allow-net'];
  const lines: string[] = [];
  const child = startChild(join(root, 'node_modules/deno/deno'), ['run', ...flags, entry], {
    env: {
      ...Object.fromEntries(given),
      PLACAR_FUNCTION_PORT: String(port),
      // Packages come from the registry, by the uploaded deno.json alone.
      DENO_DIR: join(dir, 'deno'),
      DENO_TLS_CA_STORE: 'system,mozilla',
      NO_COLOR: '1',
      HOME: dir,
      ...registryOf(process.env),
    },
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
  // The packages come over the network.
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

test('the Supabase CLI deploys every function, and what it uploads boots alone', async () => {
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
      static_patterns: [],
    });
    const paths = [...files.keys()];
    expect(paths).toContain(metadata.entrypoint_path);
    expect(paths.filter((path) => !UPLOADS_ALLOWED.test(path))).toEqual([]);
    const others = paths.filter(
      (path) => /^functions\/[^/]+\//.test(path) && !path.startsWith(`functions/${name}/`),
    );
    expect(others).toEqual([]);
    for (const [path, content] of files) {
      expect(content, path).toBe(readFileSync(join(root, path), 'utf8'));
      for (const secret of secrets) expect(content.includes(secret), path).toBe(false);
    }
  }

  for (const name of functionNames) {
    const upload = api.uploads.get(name);
    if (!upload) throw new Error(`${name} was not uploaded.`);
    const url = await boot(name, upload);
    const response = await fetch(`${url}/${name}/health`);
    expect(await response.json()).toEqual({ status: 'ok' });
    expect(response.status).toBe(200);
  }
});
