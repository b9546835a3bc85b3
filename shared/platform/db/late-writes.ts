// postgres.js can write once more to a connection that closed while it was being made (the write comes from a timer,
// `nextWrite` in its connection.js). Nobody can catch that error, and uncaught it would end the worker with every
// request in it. The connection itself is reported as failed all the same, so this one error is let go.

export function surviveLateWrites(): void {
  globalThis.addEventListener?.('error', (event) => {
    // What listeners of `error` get.
    const { error } = event as ErrorEvent;
    const stack = error instanceof TypeError ? (error.stack ?? '') : '';
    if (/\bat nextWrite \(.*postgres/.test(stack)) event.preventDefault();
  });
}
