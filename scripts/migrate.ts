// `npm run migrate -- --env-file FILE [--dry-run]`: applies missing migrations to a deployment that serves requests.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { handleLostConnections } from '../clients/typescript/src/cli/lost-connections.ts';
import { exitWithError } from '../local/start-error.ts';
import { withDeployLock } from './deploy/connection.ts';
import { readDeployment } from './deploy/deployment.ts';
import { migrate } from './deploy/migrate.ts';
import { failWith, parseOrExit } from './deploy/usage.ts';

const tree = fileURLToPath(new URL('..', import.meta.url));
const USAGE = 'Usage: npm run migrate -- --env-file FILE [--dry-run]';

/** Throws a TypeError that names an unknown flag. */
const readArguments = () =>
  parseArgs({
    options: { 'env-file': { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  }).values;

async function main(): Promise<void> {
  const { 'env-file': envFile, 'dry-run': dryRun } = parseOrExit(readArguments, USAGE);
  if (!envFile) failWith(USAGE);
  const deployment = readDeployment(envFile);
  await withDeployLock(deployment, (sql) => migrate(sql, { tree, dryRun, print: console.log }));
}

// A lost connection makes the driver throw errors that nothing can catch. The migration in progress reports it.
handleLostConnections();
await main().catch(exitWithError);
