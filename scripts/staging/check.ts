// Tries what only a real Supabase project can show, once, before the first deployment to production.
import { StartError } from '../../local/start-error.ts';
import { withDatabase } from '../deploy/connection.ts';
import { readDeployment } from '../deploy/deployment.ts';
import { describeFinding, runDoctor } from '../deploy/doctor.ts';
import { checkDatabase } from './database.ts';
import { checkInterfaces } from './interfaces.ts';
import { checkLockfile } from './lockfile.ts';
import { notChecked, type Step } from './step.ts';

interface StagingOptions {
  envFile: string;
  /** Host of a pooler, with a port if it has only one. Default: that of the address of the database. */
  poolerHost?: string | undefined;
  print(line: string): void;
}

/** Runs all steps and prints them. Returns them. */
export async function checkStaging({ envFile, poolerHost, print }: StagingOptions): Promise<Step[]> {
  const deployment = readDeployment(envFile);
  const { environment, functionsUrl, excludedFunctions } = deployment;
  if (environment !== 'staging') throw new StartError('The check writes data: use a project for staging.');
  if (!functionsUrl) throw new StartError(`${envFile} has no FUNCTIONS_URL.`);
  const steps: Step[] = [];
  const tell = (...more: Step[]) => {
    for (const one of more) print(deployment.hideSecrets(describeStep(one)));
    steps.push(...more);
  };
  await withDatabase(deployment, async (sql) => {
    tell(...(await checkDatabase(sql, deployment, poolerHost)));
    tell(...(await checkInterfaces(sql, { functionsUrl, excludedFunctions })));
  });
  tell(await checkLockfile(deployment));
  const examination = await runDoctor(deployment);
  if ('crash' in examination) tell(notChecked('doctor', examination.crash));
  else {
    const failures = examination.findings.filter(({ status }) => status === 'failed');
    tell(
      ...failures.map(
        (finding): Step => ({ name: 'doctor', status: 'failed', found: describeFinding(finding) }),
      ),
    );
    if (failures.length === 0) tell({ name: 'doctor', status: 'ok', found: 'no check fails' });
  }
  return steps;
}

const describeStep = ({ name, status, found, todo }: Step): string =>
  `${status.padEnd(11)}  ${name}: ${found}${todo ? `\n${' '.repeat(13)}-> ${todo}` : ''}`;
