// Timers of Deno and of Node.

/** Lets a process end while the timer runs. */
export function unref(timer: ReturnType<typeof setTimeout>): void {
  // Timers are numbers in Deno and objects in Node; the types know but one of the two.
  const { Deno: deno } = globalThis as { Deno?: { unrefTimer(id: number): void } };
  const known: unknown = timer;
  if (typeof known === 'number') deno?.unrefTimer(known);
  else (known as { unref?(): void }).unref?.();
}
