// The window in which the tenant cannot write: opens, renews and ends it.
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../exit-codes.ts';
import { isLockTimeout, isRefusedStep, readOne, type Side } from './side.ts';

const RENEW_MS = 10_000;
const LOCKS_WITHIN_MS = 60_000;
const SETTLED_WITHIN_MS = 60_000;
const LOCK_PAUSE_MS = 500;
const SETTLE_PAUSE_MS = 200;

export class WindowEnded extends CliError {
  constructor(why: string) {
    super(`${why} The workspace can write again. Run the command again.`, exitCodes.resumable);
    this.name = 'WindowEnded';
  }
}

export interface Window {
  /** Throws `WindowEnded` if the time of the window is over or it could not be renewed. */
  check(): void;
  /** Stops renewing. Does not thaw. */
  stop(): Promise<void>;
}

/** Freezes the tenant at `side` and waits until nothing can write anymore. Thaws it if that fails. */
export async function openWindow(
  side: Side,
  moveId: string,
  windowSeconds: number,
  signal: AbortSignal,
): Promise<Window> {
  const endsAt = performance.now() + windowSeconds * 1000;
  await freeze(side, moveId, signal);
  const window = renewing(side, moveId, endsAt);
  try {
    await settle(side, moveId, window, signal);
    return window;
  } catch (error) {
    await window.stop();
    await thaw(side, moveId);
    throw error;
  }
}

async function freeze({ sql }: Side, moveId: string, signal: AbortSignal): Promise<void> {
  const givesUpAt = performance.now() + LOCKS_WITHIN_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      await sql`select admin.freeze_tenant(${moveId})`;
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() > givesUpAt)
        throw new WindowEnded('The tables could not be locked within 60 s, because of long transactions.');
      await sleep(LOCK_PAUSE_MS * (1 + Math.random()));
    }
  }
}

async function settle({ sql }: Side, moveId: string, window: Window, signal: AbortSignal): Promise<void> {
  const givesUpAt = performance.now() + SETTLED_WITHIN_MS;
  while (!(await readOne<boolean>(sql`select admin.freeze_settled(${moveId}) as value`))) {
    signal.throwIfAborted();
    window.check();
    if (performance.now() > givesUpAt) throw new WindowEnded("The workspace's jobs did not end within 60 s.");
    await sleep(SETTLE_PAUSE_MS);
  }
}

function renewing({ sql }: Side, moveId: string, endsAt: number): Window {
  let failure: unknown;
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    if (performance.now() >= endsAt) return;
    renewal = sql`select admin.renew_freeze(${moveId})`.catch((error: unknown) => {
      failure ??= error;
    });
  }, RENEW_MS);
  // The timer must not keep the process alive.
  timer.unref();
  return {
    check() {
      if (performance.now() >= endsAt) throw new WindowEnded('The time of --window-seconds is over.');
      if (isRefusedStep(failure)) throw new WindowEnded('The window expired before it was renewed.');
      if (failure !== undefined) throw failure;
    },
    async stop() {
      clearInterval(timer);
      await renewal;
    },
  };
}

/** Lets the tenant write again. If the database is unreachable, that happens when the window expires. */
export const thaw = async ({ sql }: Side, moveId: string): Promise<void> => {
  await sql`select admin.thaw_tenant(${moveId})`.catch(() => {});
};
