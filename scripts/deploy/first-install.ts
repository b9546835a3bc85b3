// The first deployment to an empty project.
import type postgres from 'postgres';
import { reasonOf } from '../reason.ts';
import { scheduleSweep } from '../schedule-sweep.ts';
import type { Deployment } from './deployment.ts';

/** Whether a version was installed before. */
export async function isInstalled(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`select to_regclass('public.tenants') is not null as installed`;
  return row?.installed === true && !(await isEmpty(sql));
}

/** Without tenants, no key belongs to an environment yet. */
async function isEmpty(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`select not exists (select from public.tenants) as empty`;
  return row?.empty === true;
}

/** Sets the environment of a database without tenants, and has QStash call the sweep. Safe to repeat. */
export async function finishInstall(
  sql: postgres.Sql,
  { envFile, environment, functionsUrl = '', qstash }: Deployment,
  print: (line: string) => void,
): Promise<void> {
  if (!(await isEmpty(sql))) return;
  await sql`select admin.set_environment(${environment})`;
  print(`  The database is ${environment}.`);
  if (!qstash) return;
  try {
    await scheduleSweep({ ...qstash, functionsUrl });
    print('  QStash calls the sweep every minute.');
  } catch (error) {
    print(
      `  QStash has no schedule for the sweep: ${reasonOf(error)}. Correct QSTASH_TOKEN or QSTASH_URL, then run npm run schedule -- --env-file ${envFile}.`,
    );
  }
}
