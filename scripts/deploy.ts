// `npm run deploy -- --env-file FILE --tag TAG [--previous TAG] [--accept CHECK] [--dry-run] [--yes] [--rollback]`
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { handleLostConnections } from '../clients/typescript/src/cli/lost-connections.ts';
import { exitWithError } from '../local/start-error.ts';
import { deploy } from './deploy/deploy.ts';
import { failWith, parseOrExit } from './deploy/usage.ts';

const USAGE =
  'Usage: npm run deploy -- --env-file FILE --tag TAG [--previous TAG] [--accept CHECK] [--dry-run] [--yes]\n' +
  '       npm run deploy -- --env-file FILE --tag TAG --rollback [--accept CHECK] [--yes]';

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} (yes/no) `);
  terminal.close();
  return answer.trim() === 'yes';
}

const flag = { type: 'boolean', default: false } as const;
/** Throws a TypeError that names an unknown flag. */
const readArguments = () =>
  parseArgs({
    options: {
      'env-file': { type: 'string' },
      tag: { type: 'string' },
      previous: { type: 'string' },
      accept: { type: 'string', multiple: true, default: [] },
      'dry-run': flag,
      yes: flag,
      rollback: flag,
    },
  }).values;

async function main(): Promise<void> {
  const values = parseOrExit(readArguments, USAGE);
  const { tag, previous, yes, rollback, accept, 'env-file': envFile, 'dry-run': dryRun } = values;
  if (!envFile || !tag || (rollback && (previous || dryRun))) failWith(USAGE);
  await deploy({ envFile, tag, previous, dryRun, yes, rollback, accept }, { print: console.log, confirm });
}

// A lost connection makes the driver throw errors that nothing can catch. The migration in progress reports it.
handleLostConnections();
await main().catch(exitWithError);
