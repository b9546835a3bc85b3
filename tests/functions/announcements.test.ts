// Jobs that are created by changes in SQL: the database calls the sweep when the change is committed, if this is configured.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { inTransaction, type Queries, refusal } from '../support/gamification/gamification.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });
const { FUNCTIONS_URL = '', SWEEP_TOKEN = '' } = inject('env');

/** Calls that this transaction has requested. They are sent only after the commit. */
const callsOf = (tx: Queries) => tx`select url, headers from net.http_request_queue`;
const schedule = (tx: Queries, key: string) =>
  tx`insert into jobs (name, key) values ('nobody-does-this', ${key})`;
const sweep = (headers: Record<string, string>) =>
  fetch(`${FUNCTIONS_URL}/callbacks/sweep`, { method: 'POST', headers, body: '{}' });

describe('a change in SQL', () => {
  test('requests one call of the sweep, regardless of the number of jobs it creates', async () => {
    await inTransaction(sql, async (tx) => {
      await schedule(tx, 'announced-1');
      await schedule(tx, 'announced-2');
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${SWEEP_TOKEN}` };
      expect(await callsOf(tx)).toEqual([{ url: `${FUNCTIONS_URL}/callbacks/sweep`, headers }]);
    });
  });

  test.each(['api', 'worker'])(
    'requests no call if it is made by the role %s, which publishes itself',
    async (role) => {
      await inTransaction(sql, async (tx) => {
        // Takes all locks that the policy needs at once: others that use jobs wait, and are not waited for in turn.
        await tx`lock table jobs in access exclusive mode`;
        // Calls of other tests that have not been sent yet.
        const before = await callsOf(tx);
        // The superuser's privileges remain: only the name of the role matters here.
        await tx`grant insert on jobs to api`;
        await tx`create policy "For this test" on jobs for insert to api with check (true)`;
        await tx`select set_config('role', ${role}, true)`;
        await schedule(tx, 'announced-3');
        await tx`reset role`;
        expect((await callsOf(tx)).length).toBeLessThanOrEqual(before.length);
      });
    },
  );

  test('is not blocked by a call that cannot be requested', async () => {
    await inTransaction(sql, async (tx) => {
      await tx`delete from private.deployment`;
      await schedule(tx, 'announced-4');
      expect(await tx`select from jobs where key = 'announced-4'`).toHaveLength(1);
    });
  });

  test('has its jobs published after the commit', async () => {
    const { id } = await createTenant(sql);
    const [user] =
      await sql`insert into users (tenant_id, name, email) values (${id}, 'Ana', ${`${id}@a.example`}) returning id`;
    // A badge that the user has reached is counted by a job that is published only by a call of the sweep.
    await sql`select admin.create_badge(${id}, 'Here', 'leads_created', 1)`;
    await sql`insert into leads (tenant_id, name, email, owner_id) values (${id}, 'Lead', 'l@a.example', ${user?.id})`;
    await waitFor(async () => (await sql`select from earned_badges where tenant_id = ${id}`).length === 1);
  });
});

describe('the sweep', () => {
  test('accepts the token of the database', async () => {
    const reply = await sweep({ authorization: `Bearer ${SWEEP_TOKEN}` });
    expect([reply.status, await reply.json()]).toEqual([200, { announced: expect.any(Number) }]);
  });

  test.each([
    ['another token', `Bearer ${'x'.repeat(SWEEP_TOKEN.length)}`],
    ['another scheme', `Basic ${SWEEP_TOKEN}`],
    ['no token', 'Bearer '],
    ['none', undefined],
  ])('rejects %s', async (_, authorization) => {
    const reply = await sweep(authorization === undefined ? {} : { authorization });
    expect(reply.status).toBe(401);
    await reply.body?.cancel();
  });
});

describe('the setup', () => {
  const setUp = (tx: Queries, url: string | null, token: string | null) =>
    tx`select admin.call_sweep_from_database(${url}, ${token}) as said`;

  test('rejects values that could not work', async () => {
    await inTransaction(sql, async (tx) => {
      expect(await refusal(tx, (sp) => setUp(sp, 'placar.example', SWEEP_TOKEN))).toMatch(/^functions_url/);
      expect(await refusal(tx, (sp) => setUp(sp, 'https://placar.example', 'short'))).toMatch(/^token/);
    });
  });

  test('can be undone, and leaves no secret', async () => {
    await inTransaction(sql, async (tx) => {
      await setUp(tx, null, null);
      await schedule(tx, 'announced-5');
      expect(await callsOf(tx)).toEqual([]);
      expect(await tx`select from vault.secrets where name = 'placar_sweep_token'`).toEqual([]);
    });
  });

  test('uses pg_cron if it is enabled', async () => {
    await inTransaction(sql, async (tx) => {
      await tx`create schema cron`;
      await tx`create table cron.job (jobid bigint generated always as identity, jobname text, schedule text, command text)`;
      await tx`
        create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
          insert into cron.job (jobname, schedule, command) values (job_name, schedule, command) returning jobid $$`;
      await tx`
        create function cron.unschedule(id bigint) returns boolean language sql as $$
          delete from cron.job where jobid = id returning true $$`;
      const [row] = await setUp(tx, 'https://placar.example/functions/v1/', SWEEP_TOKEN);
      expect(row?.said).toContain('pg_cron');
      expect(await tx`select jobname, schedule, command from cron.job`).toEqual([
        { jobname: 'placar-sweep', schedule: '* * * * *', command: 'select private.call_sweep()' },
      ]);
      expect(await tx`select sweep_url from private.deployment`).toEqual([
        { sweep_url: 'https://placar.example/functions/v1/callbacks/sweep' },
      ]);
      await setUp(tx, null, null);
      expect(await tx`select from cron.job`).toEqual([]);
    });
  });
});
