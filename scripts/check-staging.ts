// `npm run check:staging -- --env-file FILE [--pooler HOST]`: tries a deployment to staging, and cleans up.
import { parseArgs } from 'node:util';
import { exitWithError } from '../local/start-error.ts';
import { failWith, parseOrExit } from './deploy/usage.ts';
import { checkStaging } from './staging/check.ts';

const USAGE = 'Usage: npm run check:staging -- --env-file FILE [--pooler HOST]';

/** Throws a TypeError that names an unknown flag. */
const readArguments = () =>
  parseArgs({ options: { 'env-file': { type: 'string' }, pooler: { type: 'string' } } }).values;

async function main(): Promise<void> {
  const { 'env-file': envFile, pooler: poolerHost } = parseOrExit(readArguments, USAGE);
  if (!envFile) failWith(USAGE);
  const steps = await checkStaging({ envFile, poolerHost, print: console.log });
  const failed = steps.filter(({ status }) => status === 'failed').length;
  console.log(failed === 0 ? 'No step failed.' : `${failed} of ${steps.length} steps failed.`);
  if (failed > 0) process.exitCode = 1;
}

await main().catch(exitWithError);
