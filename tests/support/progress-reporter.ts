// The output of `npm test`: one line per finished file with the progress and elapsed time, then the errors and totals of the
// default reporter. The output is the same in a log and in a terminal.
import { spawnSync } from 'node:child_process';
import {
  DefaultReporter,
  type SerializedError,
  type TestCase,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification,
} from 'vitest/node';

const SLOWEST = 8;
/** After this time without a finished file, it prints the running tests. */
const SILENT_MS = 2 * 60_000;
/** The time limit cannot end a test that blocks its process: after this time without a finished test, the run ends. */
const HANGS_AFTER_MS = 20 * 60_000;
/** `npm test` runs more files than any other selection. */
const WHOLE_FILES = 300;
/** Its duration, measured while nothing else was running. */
const WHOLE_RUN = 'about 8 minutes on two cores';

/** `2m14s`, or `9.1 s` below a minute. */
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
  /** The running files, with their start times and running tests. */
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
    const whole = this.#total > WHOLE_FILES;
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
    // The file may have been printed already: events of tests arrive late.
    if (!this.#running.has(test.module.relativeModuleId)) return;
    this.#running.set(test.module.relativeModuleId, { since: performance.now(), test });
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    this.#progressedAt = performance.now();
  }

  /** Distinguishes a hanging test from a slow one. */
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
