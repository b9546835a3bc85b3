// One running stack for the whole suite, in its own folder. Each test creates its own tenant.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { StackInfo } from '../../local/demo.ts';
import { startStack } from '../../local/stack.ts';
import { duration } from './progress-reporter.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    stack: StackInfo;
    /** Settings of the functions. */
    env: Record<string, string>;
    /** Folder of the stack. */
    dir: string;
    /** Address of each function without the gateway, and its process. */
    functions: Record<string, { port: number; pid: number }>;
  }
}

/** All requests must be counted even on a busy machine, unless a test makes Redis unavailable. */
const REDIS_TIMEOUT_MS = process.env.REDIS_TIMEOUT_MS ?? '60000';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'placar-tests-'));
  const startedAt = performance.now();
  console.log(' starting the stack that the tests share');
  const env = { REDIS_TIMEOUT_MS, UNKNOWN_CALLER_ROWS: '100000' };
  const stack = await startStack({ dir, port: 0, durable: false, env, providers: 'unconnected' });
  console.log(` the stack is up after ${duration(performance.now() - startedAt)}\n`);
  project.provide('stack', stack.info);
  project.provide('env', stack.env);
  project.provide('dir', dir);
  const functions = [...stack.functions].map(([name, edge]) => [name, { port: edge.port, pid: edge.pid() }]);
  project.provide('functions', Object.fromEntries(functions));
  return async () => {
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  };
}
