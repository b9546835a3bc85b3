// Whether a deployed version is ready: `/health/ready` of its functions.
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../reason.ts';
import type { Deployment } from './deployment.ts';
import type { Release } from './release.ts';

const IN_A_ROW = 3;
const LIMIT_MS = 120_000;
const PAUSE_MS = 2000;
const REQUEST_MS = 10_000;

interface Readiness {
  status: number;
  version: string | undefined;
  commit: string | undefined;
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
    const commit = typeof body.commit === 'string' ? body.commit : undefined;
    const code = response.headers.get('sb-error-code') ?? body.code;
    const found = [
      response.status,
      body.status ?? code,
      version && describeVersion({ version, commit }),
    ].filter(Boolean);
    const failsToStart = version === undefined && FAILS_TO_START.has(code);
    return { status: response.status, version, commit, failsToStart, found: found.join(', ') };
  } catch (error) {
    return { status: 0, version: undefined, commit: undefined, failsToStart: false, found: reasonOf(error) };
  }
}

/** Codes of the platform for a function that threw before it could respond. */
const FAILS_TO_START = new Set<unknown>(['BOOT_ERROR', 'WORKER_ERROR']);

const readyUrl = ({ functionsUrl }: Deployment, name: string) => `${functionsUrl}/${name}/health/ready`;

const LOOKS = 3;

/** `version 0.2.0, commit 0123abcd` */
const describeVersion = ({ version, commit }: { version: string; commit: string | undefined }): string =>
  `version ${version}${commit ? `, commit ${commit.slice(0, 8)}` : ''}`;

/** What responds after a deployment of the release: its commit, or for releases that do not report it, the version. */
export const describeExpected = ({ version, commit, reportsCommit }: Release): string =>
  describeVersion({ version, commit: reportsCommit ? commit : undefined });

/** The version that responds; undefined if none does. One lost request must not hide it, because it is the version to go back to. */
export async function runningVersion(
  deployment: Deployment,
): Promise<{ version: string | undefined; commit: string | undefined }> {
  for (let look = 1; ; look++) {
    const { status, version, commit } = await askReadiness(readyUrl(deployment, 'callbacks'));
    if (status !== 0 || look === LOOKS) return { version, commit };
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

interface WaitOptions {
  /** Functions that did not start before. The platform may still respond with their errors. */
  broken: ReadonlySet<string>;
  print(line: string): void;
  timing?: Timing | undefined;
}

/**
 * Whether every function is ready three times in a row with the version of the release, and with its commit if it reports that. Prints the functions that are not. Ends early
 * if a function does not start three times in a row.
 */
export async function waitUntilDeployed(
  deployment: Deployment,
  release: Release,
  { broken, print, timing: { limitMs, pauseMs } = TIMING }: WaitOptions,
): Promise<boolean> {
  const { functions, version, commit, reportsCommit } = release;
  const isOurs = (now: Readiness) => now.version === version && (!reportsCommit || now.commit === commit);
  const deadline = Date.now() + limitMs;
  let failed = false;
  const waitFor = async (name: string) => {
    for (let ready = 0, crashes = 0; !failed; ) {
      const now = await askReadiness(readyUrl(deployment, name));
      ready = now.status === 200 && isOurs(now) ? ready + 1 : 0;
      if (ready === IN_A_ROW) return;
      crashes = now.failsToStart && !broken.has(name) ? crashes + 1 : 0;
      if (crashes === IN_A_ROW) {
        print(`  ${name} does not start: ${now.found}. See its log: Edge Functions in the dashboard.`);
        failed = true;
      } else if (ready === 0 && Date.now() > deadline) {
        print(`  ${name} is not ready with ${describeExpected(release)}: ${now.found}`);
        failed = true;
      } else await pause(pauseMs);
    }
  };
  await Promise.all(functions.map(waitFor));
  return !failed;
}
