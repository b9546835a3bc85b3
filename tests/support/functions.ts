// A separate instance of a function in addition to the shared stack: with other settings, or with a proxy in front of a service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { FunctionName } from '../../functions/manifest.ts';
import { type EdgeFunction, startFunction } from '../../local/functions.ts';
import { startTcpProxy, type TcpProxy } from './wire/tcp-proxy.ts';

export interface OwnFunction {
  edge: EdgeFunction;
  /** Value for `baseUrl` of a call. */
  baseUrl: string;
  /** Log lines so far. */
  lines: string[];
}

/** Starts a function with the settings of the shared stack, overridden by these. It ends with the test. */
export async function startOwnFunction(
  name: FunctionName,
  env: Record<string, string> = {},
): Promise<OwnFunction> {
  const dir = mkdtempSync(join(tmpdir(), 'placar-function-'));
  const lines: string[] = [];
  const settings = { ...inject('env'), LOG_LEVEL: 'warn', ...env };
  const edge = await startFunction({ name, env: settings, dir, onLine: (line) => lines.push(line) });
  onTestFinished(async () => {
    await edge.stop();
    rmSync(dir, { recursive: true });
  });
  return { edge, baseUrl: `http://127.0.0.1:${edge.port}`, lines };
}

/** Starts a proxy in front of this address. Returns the address to use instead. It ends with the test. */
export async function proxyBefore(address: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(address);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  return { proxy, url: url.href.replace(/\/$/, '') };
}
