// State shared by all clients of a run: whether to continue, counters, and errors.
import { setTimeout as pause } from 'node:timers/promises';

export class RunState {
  /** Responses by interface and outcome. */
  readonly answers = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly violations: string[] = [];
  /** Whether several versions respond during the run. A replay by another version may have other members. */
  readonly spansVersions: boolean;
  checks = 0;
  #paused = false;
  #over = false;
  #active = 0;

  constructor({ spansVersions = false } = {}) {
    this.spansVersions = spansVersions;
  }

  count(map: Map<string, number>, name: string, by = 1): void {
    map.set(name, (map.get(name) ?? 0) + by);
  }

  /** Records an error; prints only the first few of each kind. */
  wrong(what: string): void {
    this.violations.push(`${new Date().toISOString()} ${what}`);
    if (this.violations.length <= 60) console.log(`  WRONG ${what}`);
  }

  /** Counts one check. */
  check(holds: boolean, what: () => string): void {
    this.checks++;
    if (!holds) this.wrong(what());
  }

  /** Runs steps until the run is over. It can be paused between two steps. */
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
  /** Clients that are in the middle of a step. */
  active(): number {
    return this.#active;
  }
}
