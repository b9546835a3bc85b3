// A function of one's own beside the shared stack: with other settings, or with a proxy before one of its parts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { FunctionName } from '../../functions/manifest.ts';
import { type EdgeFunction, startFunction } from '../../local/functions.ts';
import { startTcpProxy, type TcpProxy } from './wire/tcp-proxy.ts';

export interface OwnFunction {
  edge: EdgeFunction;
  /** What `baseUrl` of a call takes. */
  baseUrl: string;
  /** Log lines so far. */
  lines: string[];
}

/** Starts a function with the shared stack's settings and these in their place; it ends with the test. */
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

/** A proxy before the part at this address; gives the address to use instead. It ends with the test. */
export async function proxyBefore(address: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(address);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  return { proxy, url: url.href.replace(/\/$/, '') };
}
