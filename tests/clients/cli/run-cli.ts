// Runs the command line as a user does: the bundle, in a child process, in an empty folder with its own home.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, inject, onTestFinished } from 'vitest';
import { bundleCli } from '../../../clients/typescript/cli-bundle.ts';
import type { Credentials } from '../../support/clients/client.ts';
import { waitFor } from '../../support/wait-for.ts';

type Environment = Record<string, string | undefined>;

export interface CliOptions {
  env?: Environment;
  cwd?: string;
  input?: string;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** Lines of JSON so far. */
  lines(): Record<string, unknown>[];
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

let cli = '';

/** Bundles the command line, unless another test file has done so. */
export function useCli(): void {
  beforeAll(async () => {
    const shared = join(inject('dir'), 'cli');
    cli = join(shared, 'cli.mjs');
    if (existsSync(shared)) return;
    const own = mkdtempSync(`${shared}-`);
    await bundleCli(join(own, 'cli.mjs'));
    // Another worker may have been faster.
    if (!existsSync(shared)) renameSync(own, shared);
  });
}

/** Path of the bundle. */
export const cliFile = (): string => cli;

/** An empty folder, which is deleted after the test. */
export function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'placar-cli-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The variables that `npm run env` sets for a tenant. */
export function environmentOf(
  { tenantId, apiKey, clientId, clientSecret }: Partial<Credentials>,
  stack = inject('stack'),
): Environment {
  return {
    PLACAR_URL: `${stack.base_url}/functions/v1`,
    PLACAR_API_KEY: apiKey,
    PLACAR_CLIENT_ID: clientId,
    PLACAR_CLIENT_SECRET: clientSecret,
    PLACAR_TENANT_ID: tenantId,
    PLACAR_DATABASE_URL: stack.database_url,
    PLACAR_MAIL_URL: stack.mail_url,
  };
}

/** Starts `placar <args>`. It is killed at the end of the test if it is still running. */
export function startCli(args: string[], { env = {}, cwd = newFolder(), input }: CliOptions = {}): Running {
  const { PATH } = process.env;
  const child: ChildProcess = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { PATH, HOME: cwd, ...env },
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(input ?? '');
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    lines: () => jsonLines(stdout),
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Runs `placar <args>` to its end. */
export const runCli = (args: string[], options: CliOptions = {}): Promise<Ended> =>
  startCli(args, options).ended;

/** Complete lines of JSON. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Waits until a running command has printed this. */
export async function untilPrinted<T>(running: Running, find: (lines: Record<string, unknown>[]) => T) {
  let over: Ended | undefined;
  void running.ended.then((ended) => {
    over = ended;
  });
  return await waitFor(() => {
    const found = find(running.lines());
    if (!found && over) expect(over, 'it ended before').toBeUndefined();
    return found;
  });
}

/** Asserts that none of these texts was printed. */
export function expectHidden(
  { stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>,
  secrets: (string | undefined)[],
) {
  for (const secret of secrets) {
    expect(secret?.length ?? 0, 'a secret is given').toBeGreaterThan(7);
    expect(`${stdout}${stderr}`.includes(secret ?? ''), 'a secret was printed').toBe(false);
  }
}
