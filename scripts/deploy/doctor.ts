// `placar doctor` before and after a deployment: only what fails since then counts.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../clients/typescript/src/cli/doctor/check.ts';
import type { Deployment } from './deployment.ts';

/** The findings, or why doctor ended without any. */
export type Examination = { findings: Finding[] } | { crash: string };

const cli = fileURLToPath(new URL('../../clients/typescript/bin/placar.js', import.meta.url));
const LIMIT_MS = 120_000;

/**
 * Runs `placar doctor` of this checkout. It knows the checkout's migrations; the deployment compares those of its own version, so
 * that this finding does not count.
 */
export function runDoctor(deployment: Deployment): Promise<Examination> {
  const args = [cli, '--json', 'doctor', '--env-file', deployment.envFile];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { maxBuffer: 16 * 1024 ** 2, timeout: LIMIT_MS },
      (error, stdout, stderr) => {
        const findings = findingsIn(stdout).filter(({ check }) => check !== 'migrations');
        if (findings.length > 0) return resolve({ findings });
        resolve({ crash: stderr.trim() || error?.message || 'it printed nothing' });
      },
    );
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

export const failuresIn = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ status }) => status === 'failed');

/** `alerts: failed: ... -> what to do` */
export const describeFinding = ({ check, status, found, todo }: Finding): string =>
  `${check}: ${status}: ${found}${todo ? ` -> ${todo}` : ''}`;

/**
 * Failures of checks that did not fail before, or that fail for other things than before, such as another alert. A check that could
 * not be made before says nothing about the change.
 */
export function newFailures(
  before: readonly Finding[],
  after: readonly Finding[],
  accepted: readonly string[],
): Finding[] {
  return failuresIn(after).filter(({ check, failing = [] }) => {
    if (accepted.includes(check)) return false;
    const earlier = before.find((finding) => finding.check === check);
    if (earlier?.status !== 'failed') return earlier !== undefined && earlier.status !== 'not checked';
    return failing.some((one) => !earlier.failing?.includes(one));
  });
}
