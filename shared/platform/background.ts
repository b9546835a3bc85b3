// Runs work after the response is sent.

interface EdgeRuntime {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Starts work that continues after the response is sent, and keeps the worker alive for it if the platform supports that. The work must
 * handle its own errors. A worker can end at any time, so a sweep or a retry must complete unfinished work.
 */
export function waitUntil(work: () => Promise<unknown>): void {
  const running = work().catch(() => {});
  // Only the edge runtime has this global.
  const { EdgeRuntime: runtime } = globalThis as { EdgeRuntime?: EdgeRuntime };
  runtime?.waitUntil(running);
}

/** Allows the process to exit while the timer is pending. */
export function unref(timer: ReturnType<typeof setTimeout>): void {
  // Timers are numbers in Deno and objects in Node; the types describe only one of them.
  const { Deno: deno } = globalThis as { Deno?: { unrefTimer(id: number): void } };
  const known: unknown = timer;
  if (typeof known === 'number') deno?.unrefTimer(known);
  else (known as { unref?(): void }).unref?.();
}
