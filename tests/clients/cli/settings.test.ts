// Where the command line's settings come from, how it ends, and that it prints no secret.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { connect, createCredentials, newInvoice } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { environmentOf, expectHidden, jsonLines, newFolder, runCli, useCli } from './run-cli.ts';

const sql = connectDatabase();
useCli();

const manifest = JSON.parse(
  readFileSync(new URL('../../../clients/typescript/package.json', import.meta.url), 'utf8'),
);

describe('exit codes', () => {
  test('0 for help and version', async () => {
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    const help = await runCli(['--help']);
    expect(help.code).toBe(0);
    for (const command of ['listen', 'trigger', 'sync', 'invoices', 'events', 'requests', 'doctor']) {
      expect(help.stdout).toContain(`  ${command}`);
    }
  });

  test.each([
    [['unknown']],
    [['listen']],
    [['invoices', 'create', '--amount', '12.50']],
    [['invoices', 'list', '--limit', '0']],
    [['sync', 'a.csv', '--kind', 'leads']],
    [['trigger', 'no.such']],
    [['invoices', 'list']],
    [['requests', 'tail']],
    [['doctor']],
    [['listen', '--forward-to', 'ftp://x']],
    [['events', 'tail', '--types', 'a b']],
  ])('2 for %j without settings', async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  test('1 with a refusal whose texts cannot control the terminal', async () => {
    const hostile = '\u001b]0;title\u0007\u001b[2J\u001b[8m\u009b31m\u202e';
    const server = createServer((_, response) => {
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ code: hostile, detail: hostile, request_id: hostile }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const env = {
      PLACAR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      PLACAR_API_KEY: 'sk_test_x',
      FORCE_COLOR: '1',
    };
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await runCli(['invoices', 'get', 'inv_1', ...more], { env });
      expect([code, stdout]).toEqual([1, '']);
      // Its own colors only.
      const own = [2, 22, 31, 39].map((color) => `\u001b[${color}m`);
      expect(own.reduce((text, color) => text.replaceAll(color, ''), stderr)).not.toMatch(/[^\P{C}\n]/u);
      expect(stderr).toContain('\\u001b[2J');
    }
  });

  test('1 if the API rejects the request or is unreachable', async () => {
    const credentials = await createCredentials(sql);
    const env = environmentOf(credentials);
    const refused = await runCli(['invoices', 'get', 'inv_nothing'], { env });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'not_found', status: 404 } });
    const away = await runCli(['events', 'tail'], { env: { ...env, PLACAR_URL: 'http://127.0.0.1:1' } });
    expect(away).toMatchObject({ code: 1, stdout: '' });
    expectHidden(refused, [credentials.apiKey, credentials.clientSecret]);
    expectHidden(away, [credentials.apiKey, credentials.clientSecret]);
  });
});

describe('.placarrc', () => {
  const listed = async (cwd: string, env = {}, args: string[] = []) =>
    runCli([...args, 'invoices', 'list'], { cwd, env });

  async function withInvoice() {
    const credentials = await createCredentials(sql);
    const { id } = await connect(credentials).invoices.create(newInvoice());
    return { url: inject('stack').base_url, apiKey: credentials.apiKey, id };
  }

  test('is searched from the working folder upward, and the environment takes precedence', async () => {
    const [theirs, ours] = [await withInvoice(), await withInvoice()];
    const folder = newFolder();
    const below = join(folder, 'a/b');
    mkdirSync(below, { recursive: true });
    const { id, ...settings } = theirs;
    writeFileSync(join(folder, '.placarrc'), JSON.stringify(settings), { mode: 0o600 });
    const found = await listed(below);
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(found.stdout)).toMatchObject([{ id }]);
    const other = await listed(below, { PLACAR_API_KEY: ours.apiKey });
    expect(jsonLines(other.stdout)).toMatchObject([{ id: ours.id }]);
    const elsewhere = await listed(newFolder(), { HOME: folder });
    expect(jsonLines(elsewhere.stdout)).toMatchObject([{ id }]);
  });

  test('with a profile, all settings come from the profile, except variables that it names', async () => {
    const { url, apiKey, id } = await withInvoice();
    const folder = newFolder();
    const profiles = { staging: { url, apiKey: { env: 'PLACAR_STAGING_KEY' } }, empty: { url } };
    writeFileSync(join(folder, '.placarrc'), JSON.stringify({ profiles }));
    const env = {
      PLACAR_URL: 'http://127.0.0.1:1',
      PLACAR_API_KEY: 'sk_test_other',
      PLACAR_STAGING_KEY: apiKey,
    };
    const found = await listed(folder, env, ['--profile', 'staging']);
    expect(jsonLines(found.stdout)).toMatchObject([{ id }]);
    expect(found.stderr).toBe('');
    expect(await listed(folder, { ...env, PLACAR_PROFILE: 'staging' })).toEqual(found);
    expect(await listed(folder, env, ['--profile', 'empty'])).toMatchObject({ code: 2 });
    const unknown = await listed(folder, env, ['--profile', 'none']);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('staging, empty');
  });

  describe('in a cloned folder', () => {
    const secret = 'sk_test_the_users_own_key';
    const evil = 'https://collector.example';
    const failed = async (content: object, env: Record<string, string>, args: string[] = []) => {
      const folder = newFolder();
      writeFileSync(join(folder, '.placarrc'), JSON.stringify(content), { mode: 0o600 });
      const run = await listed(folder, { HOME: newFolder(), ...env }, args);
      expectHidden(run, [secret]);
      return run;
    };

    test.each([
      ['its URL, the key of the environment', { url: evil }, []],
      [
        'its URL, and it names the key in the environment',
        { url: evil, apiKey: { env: 'PLACAR_API_KEY' } },
        [],
      ],
      [
        'a profile of it',
        { profiles: { p: { url: evil, apiKey: { env: 'PLACAR_API_KEY' } } } },
        ['--profile', 'p'],
      ],
      ['another variable', { url: evil, apiKey: { env: 'AWS_SECRET_ACCESS_KEY' } }, []],
      ['no TLS', { url: 'http://collector.example', apiKey: secret }, []],
    ])('%s: nothing is sent', async (_, content, args) => {
      const { code, stderr } = await failed(
        content,
        { PLACAR_API_KEY: secret, AWS_SECRET_ACCESS_KEY: secret },
        args,
      );
      expect(code).toBe(2);
      expect(stderr).toMatch(/Set both in one place|begins with PLACAR_|Use https/);
    });

    test('its key is not sent to the URL of the environment, but to that of a flag', async () => {
      const url = 'https://127.0.0.1.nip.example';
      expect(await failed({ apiKey: secret }, { PLACAR_URL: url })).toMatchObject({ code: 2 });
      expect(await failed({ apiKey: secret }, {}, ['--url', url])).toMatchObject({ code: 1 });
    });

    test('in the home directory, a file may name a key in the environment', async () => {
      const keys: string[] = [];
      const server = createServer(({ headers: { authorization = '' } }, response) => {
        keys.push(/SVC-SIGN-V1 (.*):\d+:/.exec(authorization)?.[1] ?? authorization);
        response.writeHead(401, { 'Content-Type': 'application/json' }).end('{}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const home = newFolder();
      const content = { url, apiKey: { env: 'PLACAR_KEY' } };
      writeFileSync(join(home, '.placarrc'), JSON.stringify(content), { mode: 0o600 });
      expect(await listed(newFolder(), { HOME: home, PLACAR_KEY: secret })).toMatchObject({ code: 1 });
      expect(keys).toEqual([secret]);
    });
  });

  test('warns if others can read its secrets, and reports invalid JSON without quoting it', async () => {
    const { url, apiKey } = await withInvoice();
    const folder = newFolder();
    const file = join(folder, '.placarrc');
    writeFileSync(file, JSON.stringify({ url, apiKey }));
    chmodSync(file, 0o644);
    const warned = await listed(folder);
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain(`chmod 600 ${file}`);
    writeFileSync(file, `{"apiKey": "${apiKey}`);
    const broken = await listed(folder);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain('is not JSON');
    expectHidden(broken, [apiKey]);
    expectHidden(warned, [apiKey]);
  });
});

describe('output', () => {
  test('JSON without a terminal, tables and colors for people, no colors with NO_COLOR', async () => {
    const credentials = await createCredentials(sql);
    const { id } = await connect(credentials).invoices.create(newInvoice());
    const env = environmentOf(credentials);
    const args = ['invoices', 'list'];
    expect(jsonLines((await runCli(args, { env })).stdout)).toMatchObject([{ id }]);
    const colored = (await runCli(args, { env: { ...env, FORCE_COLOR: '1' } })).stdout;
    expect(colored).toContain('│');
    expect(colored).toContain('\u001b[33mopen\u001b[39m');
    const plain = (await runCli(args, { env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout;
    expect(plain).toContain('│ open');
    expect(plain).not.toContain('\u001b');
    expect((await runCli(['--no-json', ...args], { env })).stdout).toBe(plain);
    const json = await runCli([...args, '--json'], { env: { ...env, FORCE_COLOR: '1' } });
    expect(jsonLines(json.stdout)).toMatchObject([{ id }]);
  });

  test('control characters in data are escaped in JSON output too, which parses to the same text', async () => {
    const credentials = await createCredentials(sql);
    const description = 'a\u009b31mb\u202ec\u{e0041}';
    await connect(credentials).invoices.create({ ...newInvoice(), description });
    const { stdout } = await runCli(['invoices', 'list', '--json'], { env: environmentOf(credentials) });
    expect(stdout).toContain('a\\u009b31mb\\u202ec\\udb40\\udc41');
    expect(jsonLines(stdout)).toMatchObject([{ description }]);
  });

  test('no flag takes a secret', async () => {
    for (const command of [[], ['listen'], ['trigger'], ['sync'], ['invoices', 'create'], ['doctor']]) {
      const { stdout } = await runCli([...command, '--help']);
      expect(stdout).not.toMatch(/--(?!secret-env)[\w-]*(secret|token|api-?key|password|database-url)/i);
    }
  });
});
