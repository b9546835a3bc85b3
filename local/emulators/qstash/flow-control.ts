/** Starts due messages within the global concurrency and the parallelism of each flow-control key. */
import type { FlowControl } from './message.ts';

interface KeyQueue {
  waiting: string[];
  active: number;
  parallelism: number;
}

interface Starter {
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
  const queues = new Map<string, KeyQueue>();
  let active = 0;
  let closed = false;

  function start(queue: KeyQueue, messageId: string): void {
    active += 1;
    queue.active += 1;
    void run(messageId).finally(() => {
      active -= 1;
      queue.active -= 1;
      startEligible();
    });
  }

  // Takes one message per queue and round, so that a long queue does not delay the others.
  function startEligible(): void {
    let started = true;
    while (started && !closed) {
      started = false;
      for (const [key, queue] of queues) {
        if (active >= concurrency) return;
        if (queue.active >= queue.parallelism) continue;
        const messageId = queue.waiting.shift();
        if (messageId !== undefined) {
          start(queue, messageId);
          started = true;
        } else if (queue.active === 0) {
          queues.delete(key);
        }
      }
    }
  }

  return {
    add(messageId, flowControl) {
      const key = flowControl === undefined ? '' : `key:${flowControl.key}`;
      const queue = queues.get(key) ?? { waiting: [], active: 0, parallelism: 0 };
      queue.parallelism = flowControl?.parallelism ?? Number.POSITIVE_INFINITY;
      queue.waiting.push(messageId);
      queues.set(key, queue);
      startEligible();
    },
    close() {
      closed = true;
    },
  };
}
