// When a connection ends, postgres.js throws two errors that cannot be caught. The statement fails as usual, too.

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

/** Ignores these errors. Other uncaught errors end the process as usual. */
export function surviveLostConnections(): void {
  process.on('uncaughtException', (error) => {
    if (isLostConnection(error)) return;
    console.error(error);
    process.exit(1);
  });
}
