// A workspace for tests of gamification: users, stages, leads and deals, changed with SQL as an admin does in Studio.
import type postgres from 'postgres';

/** A connection or a transaction. */
export type Queries = postgres.ISql;

export interface Entry {
  name: string;
  points: number;
  reason: string;
}

const nameOf = (email: string): string => email.split('@')[0] ?? '';

/** Runs in a transaction that is rolled back, so that no concurrent sweep or worker sees it. */
export async function inTransaction(
  sql: postgres.Sql,
  run: (tx: postgres.TransactionSql) => Promise<void>,
): Promise<void> {
  const done = Symbol('done');
  await sql
    .begin(async (tx) => {
      await run(tx);
      throw done;
    })
    .catch((reason: unknown) => {
      if (reason !== done) throw reason;
    });
}

/** The error of a statement that must fail. The transaction continues. */
export async function refusal(
  tx: postgres.TransactionSql,
  run: (sp: postgres.TransactionSql) => PromiseLike<unknown>,
): Promise<string> {
  try {
    await tx.savepoint(async (sp) => {
      await run(sp);
    });
  } catch (error) {
    return (error as Error).message;
  }
  return 'not refused';
}

let made = 0;

export type Workspace = Awaited<ReturnType<typeof createWorkspace>>;

/** A new tenant with these users. */
export async function createWorkspace(sql: Queries, names: string[] = ['ana', 'bia']) {
  const slug = `g-${process.pid}-${Date.now().toString(36)}-${made++}`;
  const [tenant] = await sql`select admin.create_tenant(${`Tenant ${slug}`}, ${slug}, 'enterprise') as id`;
  const workspace = workspaceOf(sql, tenant?.id as string);
  for (const name of names) await workspace.addUser(name);
  return workspace;
}

/** The same workspace with another connection or transaction. */
export function workspaceOf(sql: Queries, id: string) {
  const userId = async (name: string): Promise<string> => {
    const [row] =
      await sql`select id from users where tenant_id = ${id} and email = ${`${name}@example.com`}`;
    return row?.id;
  };
  const stageId = async (name: string): Promise<string> => {
    const [row] = await sql`select id from pipeline_stages where tenant_id = ${id} and name = ${name}`;
    return row?.id;
  };
  const owner = async (name: string | null) => (name === null ? null : await userId(name));
  const values = (fields: object) => sql(fields as Record<string, never>);
  const insert = async (table: string, fields: object): Promise<string> => {
    const [row] = await sql`insert into ${sql(table)} ${values({ tenant_id: id, ...fields })} returning id`;
    return row?.id;
  };
  return {
    id,
    sql,
    userId,
    stageId,
    addUser: (name: string) => insert('users', { name, email: `${name}@example.com` }),
    addCollaborator: (name: string) =>
      insert('collaborators', { name, email: `${name}@example.com`, external_id: name }),
    /** Default: an open deal over 100 in the first stage. */
    deal: async (name: string | null, { stage = 'Prospecting', ...fields }: Record<string, unknown> = {}) =>
      await insert('deals', {
        name: 'Deal',
        value: 100,
        stage_id: await stageId(String(stage)),
        owner_id: await owner(name),
        ...fields,
      }),
    lead: async (name: string | null, fields: Record<string, unknown> = {}) =>
      await insert('leads', {
        name: 'Lead',
        email: `lead-${made++}@example.com`,
        owner_id: await owner(name),
        ...fields,
      }),
    /** Logs an activity of the deal's owner. */
    log: (dealId: string, fields: Record<string, unknown> = {}) =>
      insert('deal_activities', { type: 'call', deal_id: dealId, ...fields }),
    change: async (table: 'leads' | 'deals' | 'users', recordId: string, fields: object) =>
      await sql`update ${sql(table)} set ${values(fields)} where tenant_id = ${id} and id = ${recordId}`,
    move: async (dealId: string, stage: string) =>
      await sql`update deals set stage_id = ${await stageId(stage)} where tenant_id = ${id} and id = ${dealId}`,
    rule: async (event: string, points: number, stage?: string): Promise<string> => {
      const [row] = await sql`
        select admin.set_point_rule(${id}, ${event}, ${points}, ${stage ? await stageId(stage) : null}) as id`;
      return row?.id;
    },
    badge: async (metric: string, threshold: number, name: string = metric): Promise<string> => {
      const [row] = await sql`select admin.create_badge(${id}, ${name}, ${metric}, ${threshold}) as id`;
      return row?.id;
    },
    automation: async (
      event: string,
      actions: postgres.JSONValue,
      conditions: postgres.JSONValue = [],
      name: string = event || 'Automation',
    ): Promise<string> => {
      const [row] = await sql`
        select admin.create_automation(${id}, ${name}, ${event}, ${sql.json(conditions)}, ${sql.json(actions)}) as id`;
      return row?.id;
    },
    /** Runs all pending work, as the worker does. */
    runAutomations: async () => {
      for (let round = 0; round < 20; round++) {
        const jobs = await sql`
          update jobs set finished_at = now()
          where tenant_id = ${id} and name = 'run-automations' and finished_at is null returning key`;
        if (jobs.length === 0) return;
        for (const { key } of jobs) await sql`select app.run_automations(${id}, ${key})`;
      }
      throw new Error('automations go on and on');
    },
    runs: () =>
      sql`select automation, event, depth, matched, outcome, actions, error from admin.automation_runs
          where tenant_id = ${id} order by created_at`,
    recount: async () => void (await sql`select app.recount(${id})`),
    /** Points of all current and former users. */
    points: async (): Promise<Record<string, number>> => {
      const rows =
        await sql`select email, total_points::integer as points from players where tenant_id = ${id}`;
      return Object.fromEntries(rows.map((row) => [nameOf(row.email), row.points]));
    },
    entries: async (): Promise<Entry[]> => {
      const rows = await sql`
        select email, points, reason from admin.point_entries where tenant_id = ${id} order by id`;
      return rows.map(({ email, points, reason }) => ({ name: nameOf(email), points, reason }));
    },
    /** The types of events in order, or the data of all events of one type. */
    events: async (type?: string) => {
      const rows = await sql`
        select type, data from events where tenant_id = ${id} and (${type ?? null}::text is null or type = ${type ?? null})
        order by id`;
      return rows.map((row) => (type ? row.data : row.type));
    },
    jobs: (name: string) =>
      sql`select id, key, payload, due_at, attempts from jobs where tenant_id = ${id} and name = ${name} order by created_at`,
  };
}
