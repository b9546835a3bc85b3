// Deploys a version in six steps, and goes back to the previous one if it does not work: docs/operations/upgrading.md.
import type postgres from 'postgres';
import { StartError } from '../../local/start-error.ts';
import { checkFolder, describe as describeViolation } from '../migrations/folder.ts';
import { type Deployment, readDeployment, withDeployLock } from './deployment.ts';
import { Repository } from './git.ts';
import { migrate, pushArguments } from './migrate.ts';
import { checkContinuousIntegration, checkOneRelease, type Release, readRelease } from './release.ts';
import { runSupabase } from './supabase-cli.ts';
import { runDoctor, runningVersion, type Timing, waitUntilDeployed } from './verify.ts';

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
}

export interface DeployDependencies {
  print(line: string): void;
  /** Whether the person at the terminal confirms. False without a terminal. */
  confirm(question: string): Promise<boolean>;
  repository?: Repository;
  doctor?: typeof runDoctor;
  timing?: Timing;
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
      if (rollback) await this.#goBack(release);
      else await this.#deploy(sql, release, previous);
    });
  }

  /** The version to go back to. Undefined at the first deployment. */
  async #previousOf(release: Release): Promise<Release | undefined> {
    const running = await this.#runningTag();
    const ref =
      this.#options.previous ??
      (running === this.#options.tag ? undefined : running) ??
      this.#repository.releaseBefore(release.commit);
    if (ref === undefined) {
      this.#print('   There is no previous version to go back to.');
      return undefined;
    }
    const previous = this.#read(ref);
    checkOneRelease(this.#repository, previous, release.ref, release.commit);
    this.#print(`   If it does not work, ${ref} is deployed again.`);
    return previous;
  }

  /** The release tag of the running version, if the deployment responds and git has the tag. */
  async #runningTag(): Promise<string | undefined> {
    const version = await runningVersion(this.#deployment);
    const tag = `v${version}`;
    return version !== undefined && this.#repository.hasTag(tag) ? tag : undefined;
  }

  async #checkRollback(release: Release): Promise<void> {
    const running = (await this.#runningTag()) ?? 'HEAD';
    checkOneRelease(this.#repository, release, running, this.#repository.commitOf(running));
  }

  async #confirm({ ref }: Release): Promise<void> {
    const { environment, functionsUrl } = this.#deployment;
    if (environment !== 'production' || this.#options.yes) return;
    if (!(await this.#dependencies.confirm(`Deploy ${ref} to production at ${functionsUrl}?`)))
      throw new StartError('Nothing was deployed. To deploy to production without confirmation, use --yes.');
  }

  async #deploy(sql: postgres.Sql, release: Release, previous: Release | undefined): Promise<void> {
    const { dryRun } = this.#options;
    this.#print('2. What would be migrated, and whether it follows the rules:');
    await this.#dryRun(release);
    if (dryRun) return;
    this.#print('3. Migrations:');
    const waitsS = this.#dependencies.migrateWaitsS;
    await migrate(sql, {
      deployment: this.#deployment,
      tree: release.dir,
      dryRun: false,
      print: this.#print,
      ...(waitsS && { waitsS }),
    });
    this.#print('4. Functions:');
    const works = (await this.#deployFunctions(release)) && (await this.#works(release));
    if (works) return this.#print(`${release.ref} runs.`);
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

  async #dryRun(release: Release): Promise<void> {
    const violations = checkFolder(`${release.dir}/migrations`);
    for (const violation of violations) this.#print(`  ${describeViolation(violation)}`);
    const args = [...pushArguments(this.#deployment), '--dry-run'];
    const { ok } = await this.#supabase(args, release);
    if (!ok || violations.length > 0) throw new StartError(`Nothing was deployed: see above.`);
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

  async #works(release: Release): Promise<boolean> {
    const { timing } = this.#dependencies;
    this.#print('5. Health:');
    return (
      (await waitUntilDeployed(this.#deployment, release, this.#print, timing)) && (await this.#doctor())
    );
  }

  #doctor = (): Promise<boolean> => (this.#dependencies.doctor ?? runDoctor)(this.#deployment, this.#print);

  async #goBack(previous: Release): Promise<void> {
    this.#print(`6. Back to ${previous.ref}:`);
    if (!(await this.#deployFunctions(previous)))
      throw new StartError(
        `${previous.ref} could not be deployed: some functions may have another version. Run: npm run deploy -- --rollback --tag ${previous.ref}`,
      );
    if (!(await this.#doctor()))
      throw new StartError(`${previous.ref} runs, and placar doctor reports failures: see above.`);
    this.#print(`${previous.ref} runs.`);
  }
}
