// What most pages need to know of the workspace. Kept for a minute, so that pages do not read it again and again.
import { opens } from './access.ts';
import type { Deployment } from './deployment.ts';
import { asText, type Json } from './json.ts';
import { PageApi } from './page-api.ts';

export interface Workspace {
  name: string;
  timeZone: string;
}

/** Records by id, at most 100 of each kind. */
export interface Directory {
  users: readonly Json[];
  teams: readonly Json[];
  stages: readonly Json[];
}

const KEPT_MS = 60_000;
const MAX_NAMES = 100;

/** Reads a value again after a minute. Concurrent reads share one. */
function kept<T>(read: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let value: { at: number; of: Promise<T> } | undefined;
  return {
    get() {
      if (!value || Date.now() - value.at > KEPT_MS) {
        const entry = { at: Date.now(), of: read() };
        entry.of.catch(() => {
          if (value === entry) value = undefined;
        });
        value = entry;
      }
      return value.of;
    },
    forget() {
      value = undefined;
    },
  };
}

export class WorkspaceCache {
  readonly #workspace;
  readonly #directory;

  constructor(deployment: Deployment) {
    const can = (scope: string) => opens(deployment.scopes, scope);
    const rows = async (scope: string, path: string) => {
      if (!can(scope)) return [];
      const query = path === '/v1/stages' ? {} : { per_page: MAX_NAMES };
      return (await new PageApi(deployment).rows(path, query)).rows;
    };
    this.#workspace = kept<Workspace>(async () => {
      if (!can('read:settings')) return { name: '', timeZone: 'UTC' };
      const { record } = await new PageApi(deployment).one('/v1/admin/settings');
      return { name: asText(record.name), timeZone: knownZone(asText(record.time_zone)) };
    });
    this.#directory = kept<Directory>(async () => {
      const [users, teams, stages] = await Promise.all([
        rows('read:users', '/v1/users'),
        rows('read:teams', '/v1/teams'),
        rows('read:deals', '/v1/stages'),
      ]);
      return { users, teams, stages };
    });
  }

  workspace(): Promise<Workspace> {
    return this.#workspace.get();
  }

  directory(): Promise<Directory> {
    return this.#directory.get();
  }

  /** After a change of what is kept. */
  forget(): void {
    this.#workspace.forget();
    this.#directory.forget();
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
