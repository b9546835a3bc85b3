// What `npm test` prints: a line per finished file with how far it is and since when, then the default reporter's errors
// and totals. The same in a log as in a terminal.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import {
  DefaultReporter,
  type SerializedError,
  type TestCase,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification,
} from 'vitest/node';

const SLOWEST = 8;
/** After so long without a finished file it prints the tests that run. */
const SILENT_MS = 2 * 60_000;
/** A test that blocks its process is not ended by its time limit: after so long without a finished test the run ends instead. */
const HANGS_AFTER_MS = 20 * 60_000;
/** How long all of it takes; measured beside one or two other programs. */
const WHOLE_RUN = 'about 11 minutes on two cores';

/** `2m14s`, or `9.1 s` when it is less than a minute. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

const timeOf = (module: TestModule): number => {
  const { duration: running, collectDuration, setupDuration } = module.diagnostic();
  return running + collectDuration + setupDuration;
};

export default class ProgressReporter extends DefaultReporter {
  #startedAt = 0;
  #total = 0;
  #modules: TestModule[] = [];
  /** The files that run, since when, and which of their tests. */
  readonly #running = new Map<string, { since: number; test?: TestCase }>();
  #silence: NodeJS.Timeout | undefined;
  #progressedAt = 0;

  constructor() {
    super({ summary: false });
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#startedAt = performance.now();
    this.#total = specifications.length;
    this.#modules = [];
    const files = readdirSync('tests', { recursive: true }).filter((name) =>
      String(name).endsWith('.test.ts'),
    );
    const whole = files.length === this.#total;
    this.log(` ${this.#total} test files${whole ? `, ${WHOLE_RUN}` : ''}\n`);
    this.#progressedAt = this.#startedAt;
    this.#silence = setInterval(() => this.#watch(), SILENT_MS);
  }

  override onTestModuleQueued(module: TestModule): void {
    super.onTestModuleQueued(module);
    this.#running.set(module.relativeModuleId, { since: performance.now() });
  }

  override onTestCaseReady(test: TestCase): void {
    super.onTestCaseReady(test);
    // Its module may be printed already: events of tests come late.
    if (!this.#running.has(test.module.relativeModuleId)) return;
    this.#running.set(test.module.relativeModuleId, { since: performance.now(), test });
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    this.#progressedAt = performance.now();
  }

  /** Tells a test that hangs from one that is slow. */
  #watch(): void {
    for (const [file, { since, test }] of this.#running) {
      this.log(`  running for ${duration(performance.now() - since)}: ${file}  ${test?.fullName ?? ''}`);
    }
    if (performance.now() - this.#progressedAt < HANGS_AFTER_MS) return;
    this.log(`  nothing has finished for ${duration(HANGS_AFTER_MS)}: the run is ended`);
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    process.exit(1);
  }

  protected override printTestModule(module: TestModule): void {
    this.#running.delete(module.relativeModuleId);
    this.#progressedAt = performance.now();
    this.#silence?.refresh();
    const done = String(this.#modules.push(module)).padStart(String(this.#total).length);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === 'failed');
    const skipped = tests.filter((test) => test.result().state === 'skipped').length;
    const count = [
      `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}`,
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
      ...(module.state() === 'failed' ? [`${failed.length} FAILED`] : []),
    ];
    const elapsed = duration(performance.now() - this.#startedAt).padStart(6);
    this.log(
      `[${done}/${this.#total}] ${elapsed}  ${module.relativeModuleId}  ${count.join(', ')}  ${duration(timeOf(module))}`,
    );
    for (const test of failed) {
      const [error] = test.result().errors ?? [];
      this.log(
        `            FAILED  ${test.fullName}\n                    ${error?.message.split('\n')[0] ?? ''}`,
      );
    }
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    clearInterval(this.#silence);
    const slowest = [...this.#modules].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, SLOWEST);
    this.log(`\n ${duration(performance.now() - this.#startedAt)} in all; the slowest files:`);
    for (const module of slowest) {
      this.log(` ${duration(timeOf(module)).padStart(8)}  ${module.relativeModuleId}`);
    }
    super.onTestRunEnd(modules, errors, reason);
  }
}
