// `npm run schedule -- --env-file FILE`: creates the QStash schedule that calls a deployment's sweep every minute. Safe to repeat.
import { parseArgs } from 'node:util';
import { exitWithError, StartError } from '../local/start-error.ts';
import { readEnv } from '../shared/platform/env.ts';
import { readSettings } from './deploy/deployment.ts';
import { failWith, parseOrExit } from './deploy/usage.ts';
import { reasonOf } from './reason.ts';
import { scheduleSweep } from './schedule-sweep.ts';

const USAGE = 'Usage: npm run schedule -- --env-file FILE';

/** Throws a TypeError that names an unknown flag. */
const readArguments = () => parseArgs({ options: { 'env-file': { type: 'string' } } }).values;

async function main(): Promise<void> {
  const { 'env-file': envFile } = parseOrExit(readArguments, USAGE);
  if (!envFile) failWith(USAGE);
  Object.assign(process.env, readSettings(envFile));
  try {
    const { QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL } = readEnv('qstash');
    await scheduleSweep({ qstashUrl: QSTASH_URL, token: QSTASH_TOKEN, functionsUrl: FUNCTIONS_URL });
    console.log(`QStash calls ${FUNCTIONS_URL}/callbacks/sweep every minute.`);
  } catch (error) {
    throw new StartError(`QStash has no schedule for the sweep: ${reasonOf(error)}`);
  }
}

await main().catch(exitWithError);
