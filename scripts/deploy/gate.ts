// Decides whether a deployed version stays: readiness, then what `placar doctor` finds that it did not find before.
import { setTimeout as pause } from 'node:timers/promises';
import type { Finding } from '../../clients/typescript/src/cli/doctor/check.ts';
import { StartError } from '../../local/start-error.ts';
import type { Deployment } from './deployment.ts';
import { describeFinding, type Examination, failuresIn, newFailures, runDoctor } from './doctor.ts';
import { findBroken, TIMING, type Timing, waitUntilDeployed } from './readiness.ts';
import type { Release } from './release.ts';

export interface GateOptions {
  /** Checks whose failures do not count. */
  accept: readonly string[];
  print(line: string): void;
  doctor?: typeof runDoctor | undefined;
  timing?: Timing | undefined;
}

/** `unknown`: the functions are ready, and nothing says that the version must go, but not everything could be examined. */
export type Verdict = 'works' | 'fails' | 'unknown';

export class Gate {
  readonly #deployment: Deployment;
  readonly #options: GateOptions;
  readonly #timing: Timing;
  /** What doctor found before anything changed. Undefined if that is not known. */
  #before: Finding[] | undefined;
  #broken: ReadonlySet<string> = new Set();

  constructor(deployment: Deployment, options: GateOptions) {
    this.#deployment = deployment;
    this.#options = options;
    this.#timing = options.timing ?? TIMING;
  }

  /** Remembers what fails already. Throws a {@link StartError} if doctor crashes and `mustKnow` is set. */
  async look({ functions }: Release, mustKnow: boolean): Promise<void> {
    const { accept } = this.#options;
    this.#broken = await findBroken(this.#deployment, functions);
    if (accept.includes('doctor')) return;
    const examination = await this.#examine();
    if ('crash' in examination) {
      this.#print(`placar doctor: ${examination.crash}`);
      if (!mustKnow) return;
      throw new StartError(
        'Nothing was deployed, because placar doctor did not run: see above. To deploy without it, use --accept doctor.',
      );
    }
    const { findings } = examination;
    const names = findings.map(({ check }) => check);
    const unknown = accept.find((check) => !names.includes(check));
    if (unknown !== undefined)
      throw new StartError(`placar doctor has no check ${unknown}. Its checks: ${names.join(', ')}.`);
    this.#before = findings;
    const failing = failuresIn(findings);
    if (failing.length > 0) this.#print('These checks fail already, so they do not count:');
    for (const finding of failing) this.#print(describeFinding(finding));
  }

  /** Examines the version that was deployed. */
  async judge(release: Release): Promise<Verdict> {
    const { print, accept } = this.#options;
    const ready = await waitUntilDeployed(this.#deployment, release, {
      broken: this.#broken,
      print,
      timing: this.#timing,
    });
    if (!ready) return 'fails';
    if (accept.includes('doctor')) return 'works';
    const first = await this.#failures();
    if (first.length === 0) return 'works';
    // One request that failed must not undo a release.
    await pause(this.#timing.confirmMs);
    const failures = await this.#failures();
    for (const failure of failures)
      this.#print(typeof failure === 'string' ? `placar doctor: ${failure}` : describeFinding(failure));
    if (failures.length === 0) return 'works';
    return failures.some((failure) => typeof failure === 'string') || !this.#before ? 'unknown' : 'fails';
  }

  /** New failures; a text if doctor crashed. */
  async #failures(): Promise<(Finding | string)[]> {
    const examination = await this.#examine();
    if ('crash' in examination) return [examination.crash];
    const { accept } = this.#options;
    const { findings } = examination;
    if (this.#before) return newFailures(this.#before, findings, accept);
    return failuresIn(findings).filter(({ check }) => !accept.includes(check));
  }

  #examine = (): Promise<Examination> => (this.#options.doctor ?? runDoctor)(this.#deployment);

  #print = (line: string): void => this.#options.print(this.#deployment.hideSecrets(`  ${line}`));
}
