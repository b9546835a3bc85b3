// Whether a deployed version is ready: `/health/ready` of its functions.
import { setTimeout as pause } from 'node:timers/promises';
import type { Deployment } from './deployment.ts';
import type { Release } from './release.ts';

const IN_A_ROW = 3;
const LIMIT_MS = 120_000;
const PAUSE_MS = 2000;
const REQUEST_MS = 10_000;

interface Readiness {
  status: number;
  version: string | undefined;
  /** Whether the platform could not start the function. */
  failsToStart: boolean;
  /** The text to print. */
  found: string;
}

async function askReadiness(url: string): Promise<Readiness> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS) });
    const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    const version = typeof body.version === 'string' ? body.version : undefined;
    const code = response.headers.get('sb-error-code') ?? body.code;
    const found = [response.status, body.status ?? code, version && `version ${version}`].filter(Boolean);
    const failsToStart = version === undefined && FAILS_TO_START.has(code);
    return { status: response.status, version, failsToStart, found: found.join(', ') };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { status: 0, version: undefined, failsToStart: false, found };
  }
}

/** Codes of the platform for a function that threw before it could respond. */
const FAILS_TO_START = new Set<unknown>(['BOOT_ERROR', 'WORKER_ERROR']);

const readyUrl = ({ functionsUrl }: Deployment, name: string) => `${functionsUrl}/${name}/health/ready`;

const LOOKS = 3;

/** The version that responds; undefined if none does. One lost request must not hide it, because it is the version to go back to. */
export async function runningVersion(deployment: Deployment): Promise<string | undefined> {
  for (let look = 1; ; look++) {
    const { status, version } = await askReadiness(readyUrl(deployment, 'callbacks'));
    if (status !== 0 || look === LOOKS) return version;
  }
}

/** Functions that do not start. */
export async function findBroken(
  deployment: Deployment,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const states = await Promise.all(
    names.map(async (name) => ({ name, ...(await askReadiness(readyUrl(deployment, name))) })),
  );
  return new Set(states.filter(({ failsToStart }) => failsToStart).map(({ name }) => name));
}

export interface Timing {
  limitMs: number;
  pauseMs: number;
  /** Before a second look at a new failure. */
  confirmMs: number;
}

export const TIMING: Timing = { limitMs: LIMIT_MS, pauseMs: PAUSE_MS, confirmMs: 15_000 };

export interface WaitOptions {
  /** Functions that did not start before. The platform may still respond with their errors. */
  broken: ReadonlySet<string>;
  print(line: string): void;
  timing?: Timing | undefined;
}

/**
 * Whether every function is ready three times in a row with the version of the release. Prints the functions that are not. Ends early
 * if a function does not start three times in a row.
 */
export async function waitUntilDeployed(
  deployment: Deployment,
  { functions, version }: Release,
  { broken, print, timing: { limitMs, pauseMs } = TIMING }: WaitOptions,
): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  let failed = false;
  const waitFor = async (name: string) => {
    for (let ready = 0, crashes = 0; !failed; ) {
      const now = await askReadiness(readyUrl(deployment, name));
      ready = now.status === 200 && now.version === version ? ready + 1 : 0;
      if (ready === IN_A_ROW) return;
      crashes = now.failsToStart && !broken.has(name) ? crashes + 1 : 0;
      if (crashes === IN_A_ROW) {
        print(`  ${name} does not start: ${now.found}. See its log: Edge Functions in the dashboard.`);
        failed = true;
      } else if (ready === 0 && Date.now() > deadline) {
        print(`  ${name} is not ready with version ${version}: ${now.found}`);
        failed = true;
      } else await pause(pauseMs);
    }
  };
  await Promise.all(functions.map(waitFor));
  return !failed;
}
