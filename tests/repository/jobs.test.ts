// Every scheduled job is in the registry, and every job in the registry is scheduled somewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createJobRegistry, type RegistryEnv } from '../../functions/callbacks/job-registry.ts';
import type { JobDependencies } from '../../shared/platform/jobs/job.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** Names in `insert into public.jobs (tenant_id, name, ...)`, whose second value is a literal, and in calls of `private.rearm_job`. */
function scheduled(): string[] {
  const files = ['database', 'shared'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(sql|ts)$/.test(path))
      .map((path) => join(root, folder, path)),
  );
  const pattern =
    /(?:insert into public\.jobs (?:as j )?\(tenant_id, name,[^)]*\)\s+(?:values \(|select )|private\.rearm_job\()\s*(?:[\w.]+|\$\{tenantOf\([^}]*\}), '([a-z-]+)'/g;
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name),
  );
}

test('every job that is scheduled has a handler', async () => {
  // Handlers are only listed here, so settings are never read.
  const env = { APP_ENV: 'staging', FUNCTIONS_URL: 'http://x', SUPABASE_URL: 'http://x' } as RegistryEnv;
  const { jobs } = createJobRegistry(env, {} as JobDependencies);
  // The sweep schedules this one by its handler.
  expect(sorted([...scheduled(), 'daily-maintenance'])).toEqual(sorted(Object.keys(jobs)));
  for (const [name, load] of Object.entries(jobs)) expect((await load()).name).toBe(name);
});
