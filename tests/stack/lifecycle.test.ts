// `npm start` from its first line to its last process: starting, failing to start, all ways of ending, starting again.
// The tests of a group share a folder and depend on each other, because every start takes seconds.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StackInfo } from '../../local/demo.ts';
import { claimPort } from '../../local/ports.ts';
import {
  findProcess,
  killAll,
  listeningAddresses,
  processesOf,
  type Started,
  start,
} from '../support/clients/npm-start.ts';
import { activity, sync } from '../support/gamification/sync.ts';
import { waitFor } from '../support/wait-for.ts';

const KEYS = [
  'base_url',
  'auth_url',
  'database_url',
  'tenant_id',
  'api_key',
  'client_id',
  'client_secret',
  'mail_url',
  'inbox_url',
  'publishable_key',
  'secret_key',
  'jwt_secret',
  'people',
];
/** In `stack.json`, but not printed. */
const NOT_PRINTED = ['secret_key', 'jwt_secret'];

const home = mkdtempSync(join(tmpdir(), 'placar-lifecycle-'));
const dir = join(home, 'stack');
let port: number;

beforeAll(async () => {
  port = await claimPort();
});
afterAll(() => {
  killAll(home);
  rmSync(home, { recursive: true, force: true });
});

/** Waits until the folders have no process left. */
async function nothingLeft(): Promise<void> {
  await waitFor(() => processesOf(home).length === 0).catch(() => expect(processesOf(home)).toEqual([]));
}

/** The `node` process below `npm`. */
function stackProcess(): number {
  const lock = JSON.parse(readFileSync(join(dir, 'lock.json'), 'utf8')) as { pid: number };
  return lock.pid;
}

const functionsUrl = (info: StackInfo) => `${info.base_url}/functions/v1`;
const health = (info: StackInfo) => fetch(`${functionsUrl(info)}/default-integration/health`);

/** Sends the activity of the printed example. */
async function sendExample(info: StackInfo): Promise<unknown> {
  const activities = [activity('call-1', 'ana@demo.example')];
  const body = { action: 'sync_activities', activities };
  const answer = await sync(info.api_key, body, { baseUrl: functionsUrl(info) });
  expect(answer.status).toBe(200);
  return answer.body.data;
}

/** The only output is one line, with the setting that changes the port. */
const inUse = (taken: number, setting: string, command = 'npm start') =>
  new RegExp(`^Port ${taken} for [^\\n]+ is in use\\. [^\\n]*: ${setting}=\\d+ ${command}\\n$`);

/** The status of creating a webhook with the stack's own inbox as its URL, with http and a loopback address. */
async function makeWebhook(info: StackInfo): Promise<number> {
  const { client_id, client_secret } = info;
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const { access_token: token } = await (
    await fetch(`${info.auth_url}/oauth/token`, { method: 'POST', body: form })
  ).json();
  const answer = await fetch(`${info.base_url}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${info.inbox_url}/${randomUUID()}`, events: ['lead.created'] }),
  });
  return answer.status;
}

const recorded = {
  processed: 1,
  skipped: 0,
  skipped_items: [],
  duplicates: 0,
  duplicate_items: [],
  unmapped: 0,
  errors: [],
  total: 1,
};
const known = {
  processed: 0,
  skipped: 0,
  skipped_items: [],
  duplicates: 1,
  duplicate_items: [],
  unmapped: 0,
  errors: [],
  total: 1,
};

describe.runIf(existsSync('/proc/net/tcp'))('npm start', () => {
  let running: Started;
  let atOnce: Started;
  let info: StackInfo;

  describe('the first start', () => {
    test('prints its progress, then all addresses', async () => {
      running = start({ dir, port });
      await running.printed('Postgres');
      atOnce = start({ dir: join(home, 'at once'), port, command: 'node' });
      info = await running.ready();
      const steps = ['Starting Placar.', 'Postgres', 'migrations', 'Redis', 'edge functions', 'ready'];
      const at = steps.map((step) => running.output().indexOf(step));
      expect(at).not.toContain(-1);
      expect(at).toEqual([...at].sort((a, b) => a - b));
      const { people, ...texts } = info;
      const printed = Object.entries(texts).filter(([name]) => !NOT_PRINTED.includes(name));
      for (const [, value] of printed) expect(running.output()).toContain(value);
      for (const { email, password } of people)
        expect(running.output()).toMatch(new RegExp(`${email} +password ${password} `));
      expect(running.output()).toContain(
        `npx placar console --sign-in --url ${info.auth_url} --publishable-key ${info.publishable_key}\n`,
      );
      expect(running.output()).toContain(functionsUrl(info));
    });

    test('binds its port first: another start at the same time reports this in one line', async () => {
      expect(await atOnce.exited).toBe(1);
      expect(atOnce.stderr()).toMatch(inUse(port, 'PORT'));
    });

    test('the first printed URL opens a page', async () => {
      expect(running.output()).toContain(`Placar is running. Open the console: ${info.base_url}`);
      const answer = await fetch(info.base_url, { headers: { Accept: 'text/html' } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    });

    test('the printed line exports all of stack.json into a shell with npm run env', async () => {
      const line =
        running
          .output()
          .split('\n')
          .find((text) => text.includes('npm run -s env')) ?? '';
      const { PATH = '', HOME = '' } = process.env;
      const script = `${line}\nnode -p 'JSON.stringify(process.env)'`;
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env: { PATH, HOME } });
      const variables = Object.entries(JSON.parse(stdout)).filter(([name]) => name.startsWith('PLACAR_'));
      const { people: _, ...texts } = info;
      const expected = Object.entries(texts).map(([name, value]) => [`PLACAR_${name.toUpperCase()}`, value]);
      expect(Object.fromEntries(variables)).toEqual({
        ...Object.fromEntries(expected),
        PLACAR_URL: functionsUrl(info),
        PLACAR_STACK: join(dir, 'stack.json'),
        PLACAR_ENV_FILE: join(dir, 'functions.env'),
      });
    });

    test('allows webhooks to its inbox', async () => {
      expect(await makeWebhook(info)).toBe(201);
    });

    test('writes the same to stack.json', () => {
      expect(Object.keys(info).sort()).toEqual([...KEYS].sort());
      const { people, ...texts } = info;
      for (const value of Object.values(texts)) expect(value).toMatch(/./);
      expect(people.map(({ email, role, access }) => [email, role, access])).toEqual([
        ['ana@demo.example', 'sales_rep', 'seller'],
        ['marta@demo.example', 'manager', 'manager'],
        ['felipe@demo.example', 'viewer', 'finance'],
        ['olga@demo.example', 'admin', 'admin'],
        ['vera@demo.example', 'viewer', 'seller'],
      ]);
      expect(info.base_url).toBe(`http://127.0.0.1:${port}`);
      expect(statSync(join(dir, 'stack.json')).mode & 0o077).toBe(0);
    });

    test('the printed curl command works unchanged', async () => {
      const line = /^ {2}curl [\s\S]*?(?=\n\n)/m.exec(running.output())?.[0] ?? '';
      const { stdout } = await promisify(execFile)('bash', ['-c', line]);
      expect(JSON.parse(stdout)).toMatchObject({ data: recorded });
    });

    test('the printed URLs respond', async () => {
      expect((await health(info)).status).toBe(200);
      for (const url of [info.mail_url, info.inbox_url]) expect((await fetch(url)).status, url).toBe(200);
      const sql = postgres(info.database_url, { max: 1 });
      const [row] = await sql`select name from tenants where id = ${info.tenant_id}`;
      await sql.end();
      expect(row).toBeDefined();
    });

    test('everything listens only on 127.0.0.1', () => {
      const addresses = listeningAddresses(dir);
      // The gateway, the lock, Postgres, Redis, QStash and the functions.
      expect(addresses.length).toBeGreaterThanOrEqual(7);
      expect(addresses.filter((address) => !address.startsWith('0100007F:'))).toEqual([]);
    });
  });

  describe('next to a running stack', () => {
    test('a second one in the same folder is rejected in one line', async () => {
      const second = start({ dir, port: await claimPort(), command: 'node' });
      expect(await second.exited).toBe(1);
      expect(second.stderr()).toMatch(
        /^A stack is already running in \S+ \(process \d+\)\. Stop it, or set LOCAL_DIR to another folder\.\n$/,
      );
      expect(second.stderr()).toContain(String(stackProcess()));
      expect((await health(info)).status).toBe(200);
    });

    test('a second one with --fresh is rejected before it deletes anything', async () => {
      const second = start({ dir, port: await claimPort(), fresh: true });
      expect(await second.exited).toBe(1);
      expect(await sendExample(info)).toEqual(known);
    });

    test('reports a port in use in one line, with a solution', async () => {
      const other = join(home, 'other');
      const second = start({ dir: other, port, command: 'node' });
      expect(await second.exited).toBe(1);
      expect(second.stderr()).toMatch(inUse(port, 'PORT'));
      expect(processesOf(other)).toEqual([]);
      expect(await start({ dir: other, port }).exited).toBe(1);
    });

    test('so does a database port in use, and an invalid port', async () => {
      const other = join(home, 'other');
      const databasePort = new URL(info.database_url).port;
      const env = { DATABASE_PORT: databasePort };
      const second = start({ dir: other, port: await claimPort(), command: 'node', env });
      expect(await second.exited).toBe(1);
      expect(second.stderr()).toMatch(inUse(Number(databasePort), 'DATABASE_PORT'));
      const third = start({ dir: other, port: 65_536, command: 'node' });
      expect(await third.exited).toBe(1);
      expect(third.stderr()).toBe('PORT must be a port from 1 to 65535, not "65536".\n');
    });

    test('npm run upstash reports the same for its ports', async () => {
      for (const setting of ['UPSTASH_REDIS_PORT', 'UPSTASH_QSTASH_PORT']) {
        const { PATH = '', HOME = '' } = process.env;
        const ports = {
          UPSTASH_REDIS_PORT: `${await claimPort()}`,
          UPSTASH_QSTASH_PORT: `${await claimPort()}`,
        };
        const env = { PATH, HOME, LOCAL_DIR: join(home, 'upstash'), ...ports, [setting]: String(port) };
        const args = ['--import', 'tsx', 'local/upstash.ts'];
        const failing = promisify(execFile)(process.execPath, args, { env });
        await expect(failing).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringMatching(inUse(port, setting, 'npm run upstash')),
        });
      }
    });
  });

  test('restarts a function that died; meanwhile the gateway reports it', async () => {
    const pid = findProcess(dir, 'runtime/default-integration.ts');
    process.kill(pid, 'SIGKILL');
    const down = await waitFor(async () => {
      const answer = await health(info);
      return answer.status === 503 && answer;
    });
    expect(down.headers.get('content-type')).toBe('application/json');
    expect(down.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await down.json()).toEqual({ code: 'BOOT_ERROR', message: expect.any(String) });
    await waitFor(async () => (await health(info)).status === 200);
    expect(findProcess(dir, 'runtime/default-integration.ts')).not.toBe(pid);
    expect(await sendExample(info)).toEqual(known);
  });

  test('Ctrl-C ends every process', async () => {
    process.kill(-running.pid, 'SIGINT');
    expect(await running.exited).toBe(0);
    await nothingLeft();
    expect(running.output()).toMatch(/Stopping\.\s*$/);
    expect(existsSync(join(dir, 'lock.json'))).toBe(false);
  });

  test('a restart keeps data, keys and URLs, and a killed node leaves no processes', async () => {
    running = start({ dir, port, env: { ALLOW_INSECURE_WEBHOOKS: 'false' } });
    expect(await running.ready()).toEqual(info);
    expect(await makeWebhook(info)).toBe(400);
    expect(await sendExample(info)).toEqual(known);
    process.kill(stackProcess(), 'SIGKILL');
    await running.exited;
    await nothingLeft();
  });

  test('a later start works, and a killed npm leaves no processes either', async () => {
    running = start({ dir, port, env: { ALLOW_INSECURE_WEBHOOKS: 'true' } });
    expect(await running.ready()).toEqual(info);
    expect(await makeWebhook(info)).toBe(201);
    expect(await sendExample(info)).toEqual(known);
    process.kill(running.pid, 'SIGKILL');
    await nothingLeft();
  });

  test('an npm that is killed during the start leaves no processes', async () => {
    running = start({ dir, port });
    await running.printed('migrations');
    process.kill(running.pid, 'SIGKILL');
    await nothingLeft();
  });

  test('the next start ends a Postgres that a killed run left behind', async () => {
    running = start({ dir, port, command: 'node' });
    await running.ready();
    const orphan = findProcess(dir, '/bin/postgres');
    process.kill(findProcess(dir, 'guard.mjs'), 'SIGKILL');
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
    expect(findProcess(dir, '/bin/postgres')).toBe(orphan);

    running = start({ dir, port, command: 'node' });
    info = await running.ready();
    expect(findProcess(dir, '/bin/postgres')).not.toBe(orphan);
    expect(await sendExample(info)).toEqual(known);
    process.kill(running.pid, 'SIGTERM');
    expect(await running.exited).toBe(0);
    // The functions of the killed run are still running.
    killAll(dir);
  });

  test('--fresh deletes everything, and Ctrl-C exits successfully', async () => {
    running = start({ dir, port, fresh: true, command: 'node' });
    const fresh = await running.ready();
    for (const key of ['api_key', 'client_id', 'client_secret'] as const)
      expect(fresh[key]).not.toBe(info[key]);
    expect((await sync(info.api_key, {}, { baseUrl: functionsUrl(fresh) })).status).toBe(401);
    expect(await sendExample(fresh)).toEqual(recorded);
    process.kill(-running.pid, 'SIGINT');
    expect(await running.exited).toBe(0);
    await nothingLeft();
  });

  test('Ctrl-C during the start leaves no processes', async () => {
    running = start({ dir, port });
    await running.printed('migrations');
    process.kill(-running.pid, 'SIGINT');
    await running.exited;
    await nothingLeft();
  });
});
