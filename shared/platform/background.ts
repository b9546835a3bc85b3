// Work that goes on after the answer was sent.

interface EdgeRuntime {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Runs work after the answer, keeping the worker alive for it where the platform can. The work must handle its own
 * errors and must not be the only thing that makes something happen: a worker can end at any time.
 */
export function waitUntil(work: () => Promise<void>): void {
  const running = work().catch(() => {});
  // The edge runtime's own global; elsewhere it is not there.
  const { EdgeRuntime: runtime } = globalThis as { EdgeRuntime?: EdgeRuntime };
  runtime?.waitUntil(running);
}

/** Lets a process end while the timer runs. */
export function unref(timer: ReturnType<typeof setTimeout>): void {
  // Timers are numbers in Deno and objects in Node; the types know but one of the two.
  const { Deno: deno } = globalThis as { Deno?: { unrefTimer(id: number): void } };
  const known: unknown = timer;
  if (typeof known === 'number') deno?.unrefTimer(known);
  else (known as { unref?(): void }).unref?.();
}
