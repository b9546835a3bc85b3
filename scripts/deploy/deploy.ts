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
import { failBeforeFunctions, rollbackCommand, runsUnexamined, staysWithoutPrevious } from './outcome.ts';
import { describeExpected, runningVersion } from './readiness.ts';
import {
  checkContinuousIntegration,
  checkKnownVersion,
  checkOneRelease,
  type Release,
  readRelease,
} from './release.ts';
import { checkProject, remoteOf, runSupabase } from './supabase-cli.ts';

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
    await checkProject(this.#deployment, release.dir);
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
    const { version, commit } = await runningVersion(this.#deployment);
    if (version !== undefined) checkKnownVersion(this.#repository, release, version);
    const running = (commit && this.#repository.nameOf(commit)) ?? this.#tagOf(version);
    const isSame = running === this.#options.tag || running === release.commit;
    const ref =
      this.#options.previous ??
      (isSame ? undefined : running) ??
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
    const { version } = await runningVersion(this.#deployment);
    const running = this.#tagOf(version) ?? 'HEAD';
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
        ? `   If it does not work, ${previous.name} is deployed again.`
        : `   There is no previous version to go back to${isUpgrade ? ': to name one, pass --previous' : ''}.`,
    );
    this.#print('2. What would be migrated, whether it follows the rules, and what fails already:');
    await this.#migrate(sql, release, true);
    const violations = checkFolder(`${release.dir}/migrations`);
    for (const violation of violations) this.#print(`  ${describeViolation(violation)}`);
    if (violations.length > 0) throw new StartError('Nothing was deployed: see above.');
    if (isUpgrade) await this.#gate.look(release, true);
    if (dryRun) return;
    this.#print('3. Migrations:');
    await this.#migrate(sql, release, false).catch(failBeforeFunctions);
    await finishInstall(sql, this.#deployment, this.#print);
    this.#print('4. Functions:');
    const failed = await this.#deployFunctions(release);
    if (!failed) this.#print('5. Health:');
    const verdict = failed ? 'fails' : await this.#gate.judge(release);
    if (verdict === 'works') return this.#printRuns(release);
    if (verdict === 'unknown') throw new StartError(runsUnexamined(this.#deployment, release, previous));
    if (!previous) throw new StartError(staysWithoutPrevious(release, failed));
    await this.#goBack(previous);
    throw new StartError(
      `${release.ref} does not work. ${previous.name} runs again. The schema stays that of ${release.ref}.`,
    );
  }

  #migrate(sql: postgres.Sql, { dir: tree }: Release, dryRun: boolean): Promise<void> {
    const waitsS = this.#dependencies.migrateWaitsS;
    return migrate(sql, { tree, dryRun, print: this.#print, repository: this.#repository, waitsS });
  }

  #supabase = (args: string[], { dir }: Release) =>
    runSupabase(args, { tree: dir, deployment: this.#deployment, print: this.#print });

  #printRuns = (release: Release): void =>
    this.#print(`${release.ref} runs: every function responds with ${describeExpected(release)}.`);

  /** Callbacks, then the others. Returns the functions that could not be deployed. */
  async #deployFunctions(release: Release): Promise<readonly string[] | undefined> {
    const [callbacks = '', ...others] = release.functions;
    for (const names of [[callbacks], others]) {
      const { ok } = await this.#supabase(
        ['functions', 'deploy', ...names, '--use-api', ...remoteOf(this.#deployment), '--yes'],
        release,
      );
      if (!ok) return names;
    }
    return undefined;
  }

  async #goBack(previous: Release): Promise<void> {
    this.#print(`6. Back to ${previous.name}:`);
    if (await this.#deployFunctions(previous))
      throw new StartError(
        `${previous.name} could not be deployed: some functions may have another version. Run: ${rollbackCommand(this.#deployment, previous)}`,
      );
    const verdict = await this.#gate.judge(previous);
    if (verdict === 'fails')
      throw new StartError(`${previous.name} was deployed, and does not work either: see above.`);
    if (verdict === 'unknown') throw new StartError(runsUnexamined(this.#deployment, previous, undefined));
    this.#printRuns(previous);
  }
}
