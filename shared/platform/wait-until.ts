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
