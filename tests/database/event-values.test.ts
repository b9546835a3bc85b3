// Stored events: the changed members, and the record at that time. Large members are stored once for all events that contain them.
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant, truncateRefusal } from '../support/database.ts';
import { inTransaction } from '../support/gamification/gamification.ts';
import type { Json } from '../support/gamification/sync.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

/** 16 KiB that cannot be compressed. */
const custom = () =>
  Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`field_${i}`, randomBytes(256).toString('hex')]));

async function dealWith(tx: postgres.ISql<Record<never, never>>, fields: Record<string, string>) {
  const { id: tenantId } = await createTenant(sql);
  const [deal] = await tx`
    insert into deals (tenant_id, name, value, stage_id, custom_fields)
    select tenant_id, 'Deal', 1, id, ${tx.json(fields)} from pipeline_stages where tenant_id = ${tenantId} and position = 1
    returning id`;
  return { tenantId, id: String(deal?.id) };
}

/** Events, values and the size of both in bytes, as stored. */
async function kept(
  tx: postgres.ISql<Record<never, never>>,
  tenantId: string,
): Promise<{ events: number; values: number; bytes: number }> {
  const [row] = await tx`
    select (select count(*)::integer from events where tenant_id = ${tenantId}) as events,
           (select count(*)::integer from event_values where tenant_id = ${tenantId}) as values,
           (select sum(pg_column_size(data) + pg_column_size(changed))::integer from events where tenant_id = ${tenantId})
             + (select coalesce(sum(pg_column_size(members)), 0)::integer from event_values where tenant_id = ${tenantId}) as bytes`;
  return row as { events: number; values: number; bytes: number };
}

describe('growth', () => {
  test('changing one field of a deal with 16 KiB of custom fields stores less than 1 KiB', () =>
    inTransaction(sql, async (tx) => {
      const { tenantId, id } = await dealWith(tx, custom());
      const first = await kept(tx, tenantId);
      expect(first).toMatchObject({ events: 1, values: 1 });
      for (let n = 1; n <= 20; n++)
        await tx`update deals set value = value + 1, tags = tags || array['x'] where id = ${id}`;
      await tx`update deals set status = 'won', name = 'Won', stage_id = (
        select s.id from pipeline_stages s where s.tenant_id = ${tenantId} and s.position = 2) where id = ${id}`;
      await tx`delete from deals where id = ${id}`;
      const last = await kept(tx, tenantId);
      expect(last).toMatchObject({ events: 25, values: 1 });
      expect((last.bytes - first.bytes) / 24).toBeLessThan(1024);
    }));

  test('a new value is stored once, and a value that recurs is reused', () =>
    inTransaction(sql, async (tx) => {
      const [one, two] = [custom(), custom()];
      const { tenantId, id } = await dealWith(tx, one);
      for (const fields of [two, one, two]) {
        await tx`update deals set custom_fields = ${tx.json(fields)} where id = ${id}`;
      }
      expect(await kept(tx, tenantId)).toMatchObject({ events: 4, values: 2 });
    }));

  test('small values are stored with their event', () =>
    inTransaction(sql, async (tx) => {
      const { tenantId } = await dealWith(tx, { a: 'x'.repeat(900) });
      expect(await kept(tx, tenantId)).toMatchObject({ events: 1, values: 0 });
    }));
});

test('each event returns the record as it was right after the change, even after its deletion', () =>
  inTransaction(sql, async (tx) => {
    const { tenantId, id } = await dealWith(tx, custom());
    const shown: Json[] = [];
    const show = async () =>
      shown.push((await tx`select app.deal_record(d) as record from deals d where id = ${id}`)[0]?.record);
    await show();
    for (const change of [
      { value: 2 },
      { custom_fields: custom() },
      { custom_fields: {} },
      { products: [{ text: 'x'.repeat(60_000) }], custom_fields: custom() },
      { name: 'Last' },
    ]) {
      await tx`update deals set ${tx(change as { value: number })} where id = ${id}`;
      await show();
    }
    await tx`delete from deals where id = ${id}`;
    shown.push(shown.at(-1));
    const events =
      await tx`select app.event_data(e) as data from events e where tenant_id = ${tenantId} order by id`;
    expect(events.map(({ data }) => data)).toEqual(shown);
    const seen = await tx`select data::text from admin.events where tenant_id = ${tenantId} order by id`;
    expect(seen.map(({ data }) => data)).toEqual(
      (
        await tx`select app.event_data(e)::text as data from events e where tenant_id = ${tenantId} order by id`
      ).map(({ data }) => data),
    );
  }));

test('names the members that changed, by the names of the record', () =>
  inTransaction(sql, async (tx) => {
    const { tenantId, id } = await dealWith(tx, {});
    const [team] = await tx`insert into teams (tenant_id, name) values (${tenantId}, 'T') returning id`;
    const [user] = await tx`
      insert into users (tenant_id, name, email) values (${tenantId}, 'U', 'u@x.co') returning id`;
    await tx`update users set team_id = ${team?.id}, phone = '1', last_active_at = now() where id = ${user?.id}`;
    await tx`insert into leads (tenant_id, name, email) values (${tenantId}, 'L', 'l@x.co')`;
    await tx`update leads set status = 'qualified', name = 'M', score = 1 where tenant_id = ${tenantId}`;
    await tx`update leads set name = name where tenant_id = ${tenantId}`;
    await tx`update deals set value = 2, custom_fields = '{"a": 1}' where id = ${id}`;
    await tx`update deals set status = 'won', stage_id = (
      select s.id from pipeline_stages s where s.tenant_id = ${tenantId} and s.position = 2) where id = ${id}`;
    await tx`delete from deals where id = ${id}`;
    const events = await tx`select type, changed from events where tenant_id = ${tenantId} order by type, id`;
    expect(events.map(({ type, changed }) => [type, changed])).toEqual([
      ['deal.created', []],
      ['deal.deleted', []],
      ['deal.stage_changed', ['closed_at', 'stage', 'status']],
      ['deal.updated', ['custom_fields', 'value']],
      ['deal.won', ['closed_at', 'stage', 'status']],
      ['lead.created', []],
      ['lead.status_changed', ['name', 'score', 'status']],
      ['lead.updated', ['name', 'score', 'status']],
      ['user.created', []],
      ['user.updated', ['phone', 'team']],
    ]);
  }));

describe('a shared value', () => {
  const age = async (tx: postgres.ISql<Record<never, never>>, tenantId: string, past: string) => {
    await tx`select set_config('app.maintenance', 'on', true)`;
    await tx`update events set created_at = now() - interval '401 days' where tenant_id = ${tenantId} and ${tx.unsafe(past)}`;
    await tx`select set_config('app.maintenance', '', true)`;
  };
  const drop = (tx: postgres.ISql<Record<never, never>>) => tx`select app.drop_expired('events', 1000000)`;

  test('is deleted with the last event that has it', () =>
    inTransaction(sql, async (tx) => {
      const { tenantId, id } = await dealWith(tx, custom());
      await tx`update deals set value = 2 where id = ${id}`;
      await tx`update deals set custom_fields = ${tx.json(custom())} where id = ${id}`;
      expect(await kept(tx, tenantId)).toMatchObject({ events: 3, values: 2 });
      await age(tx, tenantId, "type = 'deal.created'");
      await drop(tx);
      expect(await kept(tx, tenantId)).toMatchObject({ events: 2, values: 2 });
      await age(tx, tenantId, "data ->> 'value' = '2' and changed = '{value}'");
      await drop(tx);
      expect(await kept(tx, tenantId)).toMatchObject({ events: 1, values: 1 });
      await age(tx, tenantId, 'true');
      await drop(tx);
      expect(await kept(tx, tenantId)).toMatchObject({ events: 0, values: 0 });
    }));

  const waiting = (pid: number) =>
    waitFor(async () => {
      const [row] = await sql`select wait_event_type from pg_stat_activity where pid = ${pid}`;
      return row?.wait_event_type === 'Lock';
    });
  const pidOf = async (tx: postgres.ISql<Record<never, never>>) =>
    Number((await tx`select pg_backend_pid() as pid`)[0]?.pid);
  /** Runs `first`, makes `second` wait for it in a separate transaction, and ends both in this order. */
  async function beside(
    first: (tx: postgres.ISql<Record<never, never>>) => Promise<unknown>,
    second: (tx: postgres.ISql<Record<never, never>>) => Promise<unknown>,
  ) {
    let ended: Promise<unknown> = Promise.resolve();
    await sql.begin(async (tx) => {
      await first(tx);
      const pid = await new Promise<number>((resolve, reject) => {
        ended = sql.begin(async (other) => {
          resolve(await pidOf(other));
          await second(other);
        });
        ended.catch(reject);
      });
      await waiting(pid);
    });
    await ended;
  }
  const stored = async (tenantId: string) =>
    (
      await sql`select app.event_data(e) -> 'custom_fields' as fields from events e where tenant_id = ${tenantId}`
    ).map(({ fields }) => fields);

  test('stays if an event is being written with it while its last event is deleted', async () => {
    const fields = custom();
    const { tenantId, id } = await dealWith(sql, fields);
    await sql.begin((tx) => age(tx, tenantId, 'true'));
    await beside((tx) => tx`update deals set value = 2 where id = ${id}`, drop);
    expect(await kept(sql, tenantId)).toMatchObject({ events: 1, values: 1 });
    expect(await stored(tenantId)).toEqual([fields]);
  });

  test('is written again if its last event is deleted in the meantime', async () => {
    const fields = custom();
    const { tenantId, id } = await dealWith(sql, fields);
    await sql.begin((tx) => age(tx, tenantId, 'true'));
    await beside(drop, (tx) => tx`update deals set value = 2 where id = ${id}`);
    expect(await kept(sql, tenantId)).toMatchObject({ events: 1, values: 1 });
    expect(await stored(tenantId)).toEqual([fields]);
  });

  test('belongs to its tenant, and nobody can change or delete it', async () => {
    const { tenantId } = await dealWith(sql, custom());
    const { tenantId: other } = await dealWith(sql, custom());
    const seen = await sql.begin(async (tx) => {
      await tx`select set_config('role', 'api', true), set_config('app.tenant_id', ${other}, true)`;
      return await tx`select tenant_id from event_values`;
    });
    expect(seen.map((row) => row.tenant_id)).toEqual([other]);
    for (const statement of [
      sql`update event_values set members = '{}' where tenant_id = ${tenantId}`,
      sql`delete from event_values where tenant_id = ${tenantId}`,
    ]) {
      await expect(statement).rejects.toThrow(/append-only/);
    }
    expect(await truncateRefusal(sql, 'event_values')).toContain('append-only');
  });
});
