// Auth and Storage use postgres.js in the process of the stack. When Postgres dies, it has two errors that nothing can catch; the
// connection itself is reported as failed all the same.

/**
 * - It can write once more to a connection that has closed: the write comes from a timer, `nextWrite` in its connection.js.
 * - It asks a new connection for the types of arrays (`fetchArrayTypes` there) and leaves the answer to nobody.
 */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError) return /\bat (?:\w+\.)?nextWrite \(.*postgres/.test(error.stack ?? '');
  // The library gives an error the text of its statement.
  const query = 'query' in error ? error.query : undefined;
  return typeof query === 'string' && /^\s*select b\.oid, b\.typarray\s+from pg_catalog\.pg_type/.test(query);
}

/** Keeps this process running after these errors; any other uncaught error ends it as usual. */
export function surviveLostConnections(): void {
  process.on('uncaughtException', (error) => {
    if (isLostConnection(error)) return;
    console.error(error);
    process.exit(1);
  });
}
