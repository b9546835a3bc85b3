// Deploys a version in six steps, and goes back to the previous one if it does not work: docs/operations/upgrading.md.
import type postgres from 'postgres';
import { StartError } from '../../local/start-error.ts';
import { checkFolder, describe as describeViolation } from '../migrations/folder.ts';
import { withDeployLock } from './connection.ts';
import { type Deployment, readDeployment } from './deployment.ts';
import { finishInstall, isInstalled } from './first-install.ts';
import { Gate, type GateOptions } from './gate.ts';
import { Repository } from './git.ts';
import { migrate } from './migrate.ts';
import { runningVersion } from './readiness.ts';
import {
  checkContinuousIntegration,
  checkKnownVersion,
  checkOneRelease,
  type Release,
  readRelease,
} from './release.ts';
import { runSupabase } from './supabase-cli.ts';

export interface DeployOptions {
  envFile: string;
  /** The version to deploy, or with `rollback` the one to go back to: a tag or another ref. */
  tag: string;
  /** The version to go back to. Default: the running version, otherwise the preceding release. */
  previous?: string | undefined;
  dryRun: boolean;
  /** Whether to deploy to production without asking for confirmation. */
  yes: boolean;
  rollback: boolean;
  /** Checks of `placar doctor` that may fail; `doctor` for all of them. */
  accept: readonly string[];
}

export interface DeployDependencies {
  print(line: string): void;
  /** Whether the person at the terminal confirms. False without a terminal. */
  confirm(question: string): Promise<boolean>;
  repository?: Repository;
  doctor?: GateOptions['doctor'];
  timing?: GateOptions['timing'];
  migrateWaitsS?: readonly number[];
}

/** Runs the deployment. Throws a {@link StartError} if it did not succeed. */
export async function deploy(options: DeployOptions, dependencies: DeployDependencies): Promise<void> {
  const releases: Release[] = [];
  const repository = dependencies.repository ?? new Repository();
  try {
    const deployment = readDeployment(options.envFile);
    const read = (ref: string) => {
      const release = readRelease(repository, ref, deployment.excludedFunctions);
      releases.push(release);
      return release;
    };
    if (!deployment.functionsUrl) throw new StartError(`${options.envFile} has no FUNCTIONS_URL.`);
    await new Run(options, deployment, repository, read, dependencies).start();
  } finally {
    for (const release of releases) release.remove();
  }
}

class Run {
  readonly #options: DeployOptions;
  readonly #deployment: Deployment;
  readonly #repository: Repository;
  readonly #read: (ref: string) => Release;
  readonly #dependencies: DeployDependencies;
  readonly #print: (line: string) => void;
  readonly #gate: Gate;

  constructor(
    options: DeployOptions,
    deployment: Deployment,
    repository: Repository,
    read: (ref: string) => Release,
    dependencies: DeployDependencies,
  ) {
    this.#options = options;
    this.#deployment = deployment;
    this.#repository = repository;
    this.#read = read;
    this.#dependencies = dependencies;
    this.#print = dependencies.print;
    const { doctor, timing, print } = dependencies;
    this.#gate = new Gate(deployment, { accept: options.accept, print, doctor, timing });
  }

  async start(): Promise<void> {
    const { tag, rollback, dryRun } = this.#options;
    const release = this.#read(tag);
    const { environment, excludedFunctions } = this.#deployment;
    this.#print(
      `1. ${tag} is version ${release.version}, commit ${release.commit.slice(0, 8)}, for ${environment}.`,
    );
    for (const name of excludedFunctions)
      this.#print(
        `   Without ${name}. If an earlier version of it is deployed, remove it: npx supabase functions delete ${name}`,
      );
    await checkContinuousIntegration(release);
    const previous = rollback ? undefined : await this.#previousOf(release);
    if (rollback) await this.#checkRollback(release);
    if (!dryRun) await this.#confirm(release);
    await withDeployLock(this.#deployment, async (sql) => {
      if (rollback) {
        await this.#gate.look(release, false);
        await this.#goBack(release);
      } else await this.#deploy(sql, release, previous);
    });
  }

  /** The version to go back to. Undefined at the first deployment. */
  async #previousOf(release: Release): Promise<Release | undefined> {
    const version = await runningVersion(this.#deployment);
    if (version !== undefined) checkKnownVersion(this.#repository, release, version);
    const running = this.#tagOf(version);
    const ref =
      this.#options.previous ??
      (running === this.#options.tag ? undefined : running) ??
      this.#repository.releaseBefore(release.commit);
    if (ref === undefined) return undefined;
    const previous = this.#read(ref);
    checkOneRelease(this.#repository, previous, release.ref, release.commit);
    return previous;
  }

  /** The release tag of a version, if git has it. */
  #tagOf(version: string | undefined): string | undefined {
    const tag = `v${version}`;
    return version !== undefined && this.#repository.hasTag(tag) ? tag : undefined;
  }

  async #checkRollback(release: Release): Promise<void> {
    const running = this.#tagOf(await runningVersion(this.#deployment)) ?? 'HEAD';
    checkOneRelease(this.#repository, release, running, this.#repository.commitOf(running));
  }

  async #confirm({ ref }: Release): Promise<void> {
    const { environment, functionsUrl } = this.#deployment;
    if (environment !== 'production' || this.#options.yes) return;
    if (!(await this.#dependencies.confirm(`Deploy ${ref} to production at ${functionsUrl}?`)))
      throw new StartError('Nothing was deployed. To deploy to production without confirmation, use --yes.');
  }

  async #deploy(sql: postgres.Sql, release: Release, before: Release | undefined): Promise<void> {
    const { dryRun } = this.#options;
    const isUpgrade = await isInstalled(sql);
    const previous = isUpgrade ? before : undefined;
    this.#print(
      previous
        ? `   If it does not work, ${previous.ref} is deployed again.`
        : '   There is no previous version to go back to.',
    );
    this.#print('2. What would be migrated, whether it follows the rules, and what fails already:');
    await this.#migrate(sql, release, true);
    const violations = checkFolder(`${release.dir}/migrations`);
    for (const violation of violations) this.#print(`  ${describeViolation(violation)}`);
    if (violations.length > 0) throw new StartError('Nothing was deployed: see above.');
    if (isUpgrade) await this.#gate.look(release, true);
    if (dryRun) return;
    this.#print('3. Migrations:');
    await this.#migrate(sql, release, false);
    await finishInstall(sql, this.#deployment, this.#print);
    this.#print('4. Functions:');
    const deployed = await this.#deployFunctions(release);
    if (deployed) this.#print('5. Health:');
    const verdict = deployed ? await this.#gate.judge(release) : 'fails';
    if (verdict === 'works') return this.#print(`${release.ref} runs.`);
    if (verdict === 'unknown') throw new StartError(runsUnexamined(release, previous));
    if (!previous) {
      throw new StartError(
        `${release.ref} does not work, and there is no previous version: its functions and migrations stay.`,
      );
    }
    await this.#goBack(previous);
    throw new StartError(
      `${release.ref} does not work. ${previous.ref} runs again. The schema stays that of ${release.ref}.`,
    );
  }

  #migrate(sql: postgres.Sql, { dir: tree }: Release, dryRun: boolean): Promise<void> {
    const waitsS = this.#dependencies.migrateWaitsS;
    return migrate(sql, { tree, dryRun, print: this.#print, repository: this.#repository, waitsS });
  }

  #supabase = (args: string[], { dir }: Release) =>
    runSupabase(args, { tree: dir, deployment: this.#deployment, print: this.#print });

  /** Callbacks, then the others. */
  async #deployFunctions(release: Release): Promise<boolean> {
    const { projectRef } = this.#deployment;
    const [callbacks = '', ...others] = release.functions;
    for (const names of [[callbacks], others]) {
      const remote = projectRef ? [`--remote=${projectRef}`] : [];
      const { ok } = await this.#supabase(
        ['functions', 'deploy', ...names, '--use-api', ...remote, '--yes'],
        release,
      );
      if (!ok) return false;
    }
    return true;
  }

  async #goBack(previous: Release): Promise<void> {
    this.#print(`6. Back to ${previous.ref}:`);
    if (!(await this.#deployFunctions(previous)))
      throw new StartError(
        `${previous.ref} could not be deployed: some functions may have another version. Run: npm run deploy -- --rollback --tag ${previous.ref}`,
      );
    const verdict = await this.#gate.judge(previous);
    if (verdict === 'fails')
      throw new StartError(`${previous.ref} was deployed, and does not work either: see above.`);
    if (verdict === 'unknown') throw new StartError(runsUnexamined(previous, undefined));
    this.#print(`${previous.ref} runs.`);
  }
}

const runsUnexamined = ({ ref }: Release, previous: Release | undefined): string =>
  `${ref} runs, and its functions are ready. See above for what placar doctor reports, and run it: npx placar doctor --env-file FILE.${
    previous
      ? ` Nothing was rolled back. To go back: npm run deploy -- --env-file FILE --rollback --tag ${previous.ref}`
      : ''
  }`;
