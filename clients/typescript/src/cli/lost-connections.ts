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

/** Passes these errors to `onLost` instead of ending the process. Other uncaught errors end it as usual. */
export function surviveLostConnections(onLost: () => void = () => {}): void {
  process.on('uncaughtException', (error) => {
    if (isLostConnection(error)) return onLost();
    console.error(error);
    process.exit(1);
  });
}
