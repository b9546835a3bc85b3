// Runs all checks independently: a failing check does not delay the others.
import type { Check, Deployment, Finding } from './check.ts';
import { databaseChecks } from './database.ts';
import { functionChecks, reasonOf } from './functions.ts';
import { serviceChecks } from './services.ts';

const checks: readonly Check[] = [...functionChecks, ...databaseChecks, ...serviceChecks];

/** The findings, in the order of the checks. */
export async function examine(deployment: Deployment): Promise<Finding[]> {
  const findings = await Promise.all(checks.map((check) => make(check, deployment)));
  return findings.flat();
}

async function make(check: Check, deployment: Deployment): Promise<Finding | Finding[]> {
  const missing = check.needs.filter((name) => !isGiven(name, deployment));
  if (missing.length > 0) {
    const names = missing.join(', ');
    return {
      check: check.name,
      status: 'not checked',
      found: `needs ${names}`,
      todo: `set ${names} or pass --env-file`,
    };
  }
  try {
    return await check.run(deployment);
  } catch (error) {
    deployment.signal.throwIfAborted();
    return { check: check.name, status: 'failed', found: reasonOf(error), todo: check.todo };
  }
}

function isGiven(name: string, { env, sql, sharesConnections, functionsSql, url }: Deployment): boolean {
  if (name === 'PLACAR_DATABASE_URL') return sql !== undefined || sharesConnections;
  if (name === 'DATABASE_URL') return functionsSql !== undefined;
  if (name === 'PLACAR_URL') return url !== '';
  return Boolean(env[name]);
}
