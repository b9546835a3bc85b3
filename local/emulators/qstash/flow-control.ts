/** Which of the due messages may start now: a bound over all, and the bounds of each flow-control key. */
import type { Clock } from './clock.ts';
import type { FlowControl } from './message.ts';

interface Lane {
  waiting: string[];
  active: number;
  limits?: FlowControl | undefined;
  /** When the deliveries of the last period started, Unix milliseconds, oldest first. */
  startedAtMs: number[];
}

export interface Lanes {
  /** Puts a due message in line; without flow control the line has no bounds of its own. */
  add(messageId: string, flowControl: FlowControl | undefined): void;
  close(): void;
}

/**
 * @param concurrency the most runs at a time over all lanes
 * @param run handles one message; its place is free again when it settles
 */
export function createLanes(
  clock: Clock,
  concurrency: number,
  run: (messageId: string) => Promise<void>,
): Lanes {
  const lanes = new Map<string, Lane>();
  let active = 0;
  let cancelWake: (() => void) | undefined;
  let closed = false;

  /** Unix milliseconds at which the lane may start one more; Infinity when one has to end first. */
  function opensAt(lane: Lane, nowMs: number): number {
    const { parallelism, rate, periodMs = 0 } = lane.limits ?? {};
    if (parallelism !== undefined && lane.active >= parallelism) return Number.POSITIVE_INFINITY;
    lane.startedAtMs = lane.startedAtMs.filter((startMs) => startMs > nowMs - periodMs);
    if (rate === undefined || lane.startedAtMs.length < rate) return nowMs;
    return (lane.startedAtMs.at(-rate) ?? nowMs) + periodMs;
  }

  function start(lane: Lane, messageId: string, nowMs: number): void {
    active += 1;
    lane.active += 1;
    if (lane.limits?.rate !== undefined) lane.startedAtMs.push(nowMs);
    void run(messageId).finally(() => {
      active -= 1;
      lane.active -= 1;
      pump();
    });
  }

  // One of each lane per round, so that a long line doesn't hold up the others.
  function pump(): void {
    cancelWake?.();
    cancelWake = undefined;
    const nowMs = clock.now();
    let wakeAtMs = Number.POSITIVE_INFINITY;
    let started = true;
    while (started && !closed) {
      started = false;
      wakeAtMs = Number.POSITIVE_INFINITY;
      for (const [key, lane] of lanes) {
        if (active >= concurrency) return;
        const laneOpensAtMs = opensAt(lane, nowMs);
        if (lane.waiting.length === 0) {
          if (lane.active === 0 && lane.startedAtMs.length === 0) lanes.delete(key);
        } else if (laneOpensAtMs > nowMs) {
          wakeAtMs = Math.min(wakeAtMs, laneOpensAtMs);
        } else {
          const messageId = lane.waiting.shift();
          if (messageId !== undefined) start(lane, messageId, nowMs);
          started = true;
        }
      }
    }
    if (!closed && Number.isFinite(wakeAtMs)) cancelWake = clock.at(wakeAtMs, pump);
  }

  return {
    add(messageId, flowControl) {
      const key = flowControl === undefined ? '' : `key:${flowControl.key}`;
      const lane = lanes.get(key) ?? { waiting: [], active: 0, startedAtMs: [] };
      lane.limits = flowControl;
      lane.waiting.push(messageId);
      lanes.set(key, lane);
      pump();
    },
    close() {
      closed = true;
      cancelWake?.();
    },
  };
}
