// Adds features of the hosted edge runtime to plain Deno: a port chosen by the caller, and `EdgeRuntime.waitUntil`. Loaded
// before the function's module.
const { serve } = Deno;
const port = Number(Deno.env.get('PLACAR_FUNCTION_PORT'));

const running = new Set<Promise<unknown>>();
Object.assign(globalThis, {
  EdgeRuntime: {
    waitUntil(promise: Promise<unknown>) {
      running.add(promise);
      promise.finally(() => running.delete(promise));
    },
  },
});

const override = (handler: Deno.ServeHandler) => {
  // `local/functions.ts` waits for this line.
  const onListen = () => console.log(`listening on port ${port}`);
  const server = serve({ hostname: '127.0.0.1', port, onListen }, handler);
  Deno.addSignalListener('SIGTERM', async () => {
    await server.shutdown();
    await Promise.allSettled(running);
    Deno.exit(0);
  });
  return server;
};
Object.defineProperty(Deno, 'serve', { value: override });

// The stack holds the other end of stdin. When the stack ends in any way, stdin closes and the function exits.
(async () => {
  for await (const _ of Deno.stdin.readable);
  Deno.exit(0);
})();
