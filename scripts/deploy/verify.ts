// Whether a deployment works: `/health/ready` of its functions, and `placar doctor`.
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Deployment } from './deployment.ts';
import type { Release } from './release.ts';

const IN_A_ROW = 3;
const LIMIT_MS = 120_000;
const PAUSE_MS = 2000;
const REQUEST_MS = 10_000;

interface Readiness {
  status: number;
  version: string | undefined;
  /** The text to print. */
  found: string;
}

async function askReadiness(url: string): Promise<Readiness> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS) });
    const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    const version = typeof body.version === 'string' ? body.version : undefined;
    const found = [response.status, body.status, version && `version ${version}`].filter(Boolean).join(', ');
    return { status: response.status, version, found };
  } catch (error) {
    return { status: 0, version: undefined, found: error instanceof Error ? error.message : String(error) };
  }
}

const readyUrl = ({ functionsUrl }: Deployment, name: string) => `${functionsUrl}/${name}/health/ready`;

/** The version that responds; undefined if none does. */
export const runningVersion = async (deployment: Deployment): Promise<string | undefined> =>
  (await askReadiness(readyUrl(deployment, 'callbacks'))).version;

export interface Timing {
  limitMs: number;
  pauseMs: number;
}

/** Whether every function is ready three times in a row with the version of the release. Prints the functions that are not. */
export async function waitUntilDeployed(
  deployment: Deployment,
  { functions, version }: Release,
  print: (line: string) => void,
  { limitMs, pauseMs }: Timing = { limitMs: LIMIT_MS, pauseMs: PAUSE_MS },
): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  const results = await Promise.all(
    functions.map(async (name) => {
      for (let inARow = 0; ; ) {
        const ready = await askReadiness(readyUrl(deployment, name));
        inARow = ready.status === 200 && ready.version === version ? inARow + 1 : 0;
        if (inARow === IN_A_ROW) return true;
        if (Date.now() > deadline) {
          print(`  ${name} is not ready with version ${version}: ${ready.found}`);
          return false;
        }
        await pause(pauseMs);
      }
    }),
  );
  return results.every(Boolean);
}

interface Finding {
  check: string;
  status: string;
  found: string;
  todo?: string;
}

const cli = fileURLToPath(new URL('../../clients/typescript/bin/placar.js', import.meta.url));

/**
 * Runs `placar doctor` of this checkout, and prints what is not ok. It knows the checkout's migrations; the deployment compares those
 * of its own version, so that this finding does not count.
 */
export function runDoctor(deployment: Deployment, print: (line: string) => void): Promise<boolean> {
  const args = [cli, '--json', 'doctor', '--env-file', deployment.envFile];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 1024 ** 2 }, (error, stdout, stderr) => {
      const findings = findingsIn(stdout).filter(({ check }) => check !== 'migrations');
      for (const { check, status, found, todo } of findings) {
        if (status === 'ok' || status === 'not checked') continue;
        print(deployment.hideSecrets(`  ${check}: ${status}: ${found}${todo ? ` -> ${todo}` : ''}`));
      }
      if (findings.length === 0) print(deployment.hideSecrets(`  ${stderr.trim() || error?.message}`));
      resolve(findings.length > 0 && !findings.some(({ status }) => status === 'failed' || status === 'red'));
    });
  });
}

function findingsIn(output: string): Finding[] {
  return output.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Finding];
    } catch {
      return [];
    }
  });
}
