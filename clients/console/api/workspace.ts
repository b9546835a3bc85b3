// Workspace data that most pages need, cached for a minute.
import { opens } from './access.ts';
import type { Deployment } from './deployment.ts';
import { asJson, asText, type Json } from './json.ts';
import type { PageApi, Query } from './page-api.ts';

export interface Workspace {
  name: string;
  timeZone: string;
  /** Team of the person who signed in, if there is one. */
  ownTeamId?: string;
  /** Id of the person who signed in. */
  personId?: string;
}

/** Records by id, at most 100 of each kind. */
export interface Directory {
  users: readonly Json[];
  teams: readonly Json[];
  stages: readonly Json[];
}

export type DirectoryKind = keyof Directory;

const KEPT_MS = 60_000;
const MAX_NAMES = 100;

const SOURCES: Readonly<Record<DirectoryKind, { scope: string; path: string; query: Query }>> = {
  users: { scope: 'read:users', path: '/v1/users', query: { per_page: MAX_NAMES } },
  teams: { scope: 'read:teams', path: '/v1/teams', query: { per_page: MAX_NAMES } },
  stages: { scope: 'read:deals', path: '/v1/stages', query: {} },
};

/** A value that is read again after a minute. Concurrent reads share one. */
class Kept<T> {
  #entry: { at: number; value: Promise<T> } | undefined;

  get(read: () => Promise<T>): Promise<T> {
    const known = this.#entry;
    if (known && Date.now() - known.at <= KEPT_MS) return known.value;
    const entry = { at: Date.now(), value: read() };
    entry.value.catch(() => {
      if (this.#entry === entry) this.#entry = undefined;
    });
    this.#entry = entry;
    return entry.value;
  }

  forget(): void {
    this.#entry = undefined;
  }
}

/** Calls count as those of the page that makes them. */
export class WorkspaceCache {
  readonly #deployment: Deployment;
  readonly #workspace = new Kept<Workspace>();
  readonly #directory: Readonly<Record<DirectoryKind, Kept<readonly Json[]>>> = {
    users: new Kept(),
    teams: new Kept(),
    stages: new Kept(),
  };

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  workspace(api: PageApi): Promise<Workspace> {
    return this.#workspace.get(async () => {
      if (this.#deployment.isPerson) {
        const me = (await api.find('/v1/me'))?.record ?? {};
        const { name, time_zone: zone } = asJson(me.tenant);
        const ownTeamId = asText(asJson(me.team).id);
        return { name: asText(name), timeZone: knownZone(asText(zone)), ownTeamId, personId: asText(me.id) };
      }
      if (!this.#can('read:settings')) return { name: '', timeZone: 'UTC' };
      const { record } = await api.one('/v1/admin/settings');
      return { name: asText(record.name), timeZone: knownZone(asText(record.time_zone)) };
    });
  }

  /** Records of these kinds. Kinds that the credentials cannot read are empty. */
  async directory(api: PageApi, kinds: readonly DirectoryKind[]): Promise<Directory> {
    const read = async (kind: DirectoryKind): Promise<readonly Json[]> => {
      const { scope, path, query } = SOURCES[kind];
      if (!kinds.includes(kind) || !this.#can(scope)) return [];
      return this.#directory[kind].get(async () => (await api.rows(path, query)).rows);
    };
    const [users, teams, stages] = await Promise.all([read('users'), read('teams'), read('stages')]);
    return { users, teams, stages };
  }

  /** Clears the cache after a change. */
  forget(): void {
    for (const kept of [this.#workspace, ...Object.values(this.#directory)]) kept.forget();
  }

  #can(scope: string): boolean {
    return opens(this.#deployment.scopes, scope);
  }
}

/** A zone that this runtime knows, else UTC. */
function knownZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name || 'UTC';
  } catch {
    return 'UTC';
  }
}
