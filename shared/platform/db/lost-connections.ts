// Two errors of postgres.js that nobody can catch when a connection is lost at a bad moment, and that uncaught would end the worker
// with every request in it. The connection itself is reported as failed all the same, so these two are let go.

/**
 * - It can write once more to a connection that closed while it was being made: the write comes from a timer, `nextWrite` in
 *   its connection.js.
 * - It asks a new connection for the types of arrays (`fetchArrayTypes` there) and leaves the answer to nobody.
 */
export function surviveLostConnections(): void {
  globalThis.addEventListener?.('error', (event) => {
    // What listeners of `error` get.
    const { error } = event as ErrorEvent;
    const stack = error instanceof TypeError ? (error.stack ?? '') : '';
    if (/\bat nextWrite \(.*postgres/.test(stack)) event.preventDefault();
  });
  globalThis.addEventListener?.('unhandledrejection', (event) => {
    // What listeners of `unhandledrejection` get.
    const { reason } = event as PromiseRejectionEvent;
    if (isOfTypes(reason)) event.preventDefault();
  });
}

/** The library gives an error the text of its statement as `query`. */
function isOfTypes(reason: unknown): boolean {
  const query = reason instanceof Error && 'query' in reason ? reason.query : undefined;
  return typeof query === 'string' && /^\s*select b\.oid, b\.typarray\s+from pg_catalog\.pg_type/.test(query);
}
