/** Starts due messages within the global concurrency and the parallelism of each flow-control key. */
import type { FlowControl } from './message.ts';

interface Line {
  waiting: string[];
  active: number;
  parallelism: number;
}

export interface Starter {
  /** Queues a due message. Messages without flow control share a queue without its own limit. */
  add(messageId: string, flowControl: FlowControl | undefined): void;
  /** Stops starting messages. */
  close(): void;
}

/**
 * @param concurrency maximum runs in flight over all queues
 * @param run handles one message; its slot is free when it settles
 */
export function createStarter(concurrency: number, run: (messageId: string) => Promise<void>): Starter {
  const lines = new Map<string, Line>();
  let active = 0;
  let closed = false;

  function start(line: Line, messageId: string): void {
    active += 1;
    line.active += 1;
    void run(messageId).finally(() => {
      active -= 1;
      line.active -= 1;
      startWhatMay();
    });
  }

  // Takes one message per queue and round, so that a long queue does not delay the others.
  function startWhatMay(): void {
    let started = true;
    while (started && !closed) {
      started = false;
      for (const [key, line] of lines) {
        if (active >= concurrency) return;
        if (line.active >= line.parallelism) continue;
        const messageId = line.waiting.shift();
        if (messageId !== undefined) {
          start(line, messageId);
          started = true;
        } else if (line.active === 0) {
          lines.delete(key);
        }
      }
    }
  }

  return {
    add(messageId, flowControl) {
      const key = flowControl === undefined ? '' : `key:${flowControl.key}`;
      const line = lines.get(key) ?? { waiting: [], active: 0, parallelism: 0 };
      line.parallelism = flowControl?.parallelism ?? Number.POSITIVE_INFINITY;
      line.waiting.push(messageId);
      lines.set(key, line);
      startWhatMay();
    },
    close() {
      closed = true;
    },
  };
}
