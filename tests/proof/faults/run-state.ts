// What all clients of a run share: whether they go on, what was counted, and what was found wrong.
import { setTimeout as pause } from 'node:timers/promises';

export class RunState {
  /** Answers by interface and what they were. */
  readonly answers = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly violations: string[] = [];
  checks = 0;
  #paused = false;
  #over = false;
  #active = 0;

  count(map: Map<string, number>, name: string, by = 1): void {
    map.set(name, (map.get(name) ?? 0) + by);
  }

  /** Notes what should not be; each kind of it is told of in full only some times. */
  wrong(what: string): void {
    this.violations.push(`${new Date().toISOString()} ${what}`);
    if (this.violations.length <= 60) console.log(`  WRONG ${what}`);
  }

  /** One thing looked at. */
  check(holds: boolean, what: () => string): void {
    this.checks++;
    if (!holds) this.wrong(what());
  }

  /** Does one thing after the other until the run is over; between two of them it can be made to wait. */
  async client(one: () => Promise<void>): Promise<void> {
    while (!this.#over) {
      if (this.#paused) {
        await pause(50);
        continue;
      }
      this.#active++;
      try {
        await one();
      } catch (error) {
        this.wrong(`a client failed: ${error instanceof Error ? error.stack : String(error)}`);
      } finally {
        this.#active--;
      }
    }
  }

  pause(): void {
    this.#paused = true;
  }
  resume(): void {
    this.#paused = false;
  }
  end(): void {
    this.#over = true;
  }
  /** Clients that are in the middle of something. */
  active(): number {
    return this.#active;
  }
}
