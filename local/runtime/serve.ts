// What the hosted edge runtime gives a function that plain Deno does not: a port chosen from outside, and
// `EdgeRuntime.waitUntil`. Loaded before a function's own module.
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
  // The line that `local/functions.ts` waits for.
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

// The stack that started this function holds its input; when that ends, however it ended, the function goes too.
(async () => {
  for await (const _ of Deno.stdin.readable);
  Deno.exit(0);
})();
