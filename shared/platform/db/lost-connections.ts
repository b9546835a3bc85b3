// Two errors of postgres.js that nobody can catch when a connection is lost at a bad moment, and that uncaught would end the process
// with every request in it. The connection itself is reported as failed all the same, so these two are let go.

/**
 * - It can write once more to a connection that closed meanwhile: the write comes from a timer, `nextWrite` in its
 *   connection.js.
 * - It asks a new connection for the types of arrays (`fetchArrayTypes` there) and leaves the answer to nobody.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError) return /\bat (?:\w+\.)?nextWrite \(.*postgres/.test(error.stack ?? '');
  // The library gives an error the text of its statement.
  const query = 'query' in error ? error.query : undefined;
  return typeof query === 'string' && /^\s*select b\.oid, b\.typarray\s+from pg_catalog\.pg_type/.test(query);
}

/** Lets them go in a worker; under Node, where there are no such events, `process` would have to be asked. */
export function surviveLostConnections(): void {
  globalThis.addEventListener?.('error', (event) => {
    // What listeners of `error` get.
    if (isLostConnection((event as ErrorEvent).error)) event.preventDefault();
  });
  globalThis.addEventListener?.('unhandledrejection', (event) => {
    // What listeners of `unhandledrejection` get.
    if (isLostConnection((event as PromiseRejectionEvent).reason)) event.preventDefault();
  });
}
