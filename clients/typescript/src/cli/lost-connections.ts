// When a connection ends, postgres.js throws two errors that cannot be caught. It can leave the statement pending.

/**
 * - A timer writes to a closed connection: `nextWrite` in connection.js.
 * - A new connection queries array types (`fetchArrayTypes`) and nothing handles the rejection.
 */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError) return /^\s*at (?:\w+\.)?nextWrite \(/m.test(error.stack ?? '');
  // The library attaches the text of the statement to errors.
  const query = 'query' in error ? error.query : undefined;
  return typeof query === 'string' && /^\s*select b\.oid, b\.typarray\s+from pg_catalog\.pg_type/.test(query);
}

/** Codes with which a server, a socket or the driver ends or refuses a connection. */
const CONNECTION_ENDED = /^(57P0[1-5]|53300|08\w{3}|CONNECT(ION)?_\w+|ECONN\w+|EPIPE|ETIMEDOUT)$/;

/** Whether the code of an error says that a connection ended, whichever statement it belongs to. */
export const isConnectionEnd = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONNECTION_ENDED.test(String(error.code));

/**
 * Passes these errors, and those that `isExpected` accepts, to `onLost` instead of ending the process. Other uncaught errors end it as
 * usual.
 */
export function handleLostConnections(
  onLost: () => void = () => {},
  isExpected: (error: unknown) => boolean = () => false,
): void {
  process.on('uncaughtException', (error) => {
    if (isLostConnection(error) || isExpected(error)) return onLost();
    console.error(error);
    process.exit(1);
  });
}
