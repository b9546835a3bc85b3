// Auth and Storage use postgres.js in the process of the stack, which has errors that nobody can catch when Postgres dies.
import { isLostConnection } from '../../shared/platform/db/lost-connections.ts';

/** Has this process outlive them; any other error that nobody caught ends it as ever. */
export function surviveLostConnections(): void {
  process.on('uncaughtException', (error) => {
    if (isLostConnection(error)) return;
    console.error(error);
    process.exit(1);
  });
}
