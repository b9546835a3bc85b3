// People whose leads were merged: they are found by all their email addresses, exported completely, and erased completely.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { inTransaction } from '../support/gamification/gamification.ts';
import type { Json } from '../support/gamification/sync.ts';
import { tablesWith } from '../support/records/persons.ts';
import { newEmail } from '../support/records/record-flows.ts';
import { sweepNow } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
let made = 0;

const keys = ['winner', 'loser', 'earlier'] as const;
type Key = (typeof keys)[number];

interface Merged {
  tenantId: string;
  ids: Record<Key, string>;
  emails: Record<Key, string>;
  /** Unique texts that must all be erased. */
  marks: string[];
}

/** Three leads of one person: the earliest was merged into the loser, and the loser into the winner. */
async function someone(): Promise<Merged> {
  const { id: tenantId } = await createTenant(sql);
  const mark = `zm${process.pid}${made++}${Date.now().toString(36).slice(-5)}`;
  const ids: Partial<Record<Key, string>> = {};
  const emails: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const own = `${mark}${key}`;
    emails[key] = newEmail();
    const [lead] = await sql`
      insert into leads (tenant_id, name, email, phone, company, source, custom_fields, tags, external_ids)
      values (${tenantId}, ${own}, ${emails[key]}, ${own}, ${own}, ${own}, jsonb_build_object(${own}::text, repeat(${own}::text, 200)),
              array[${own}::text], jsonb_build_object('client', jsonb_build_array(${own}::text)))
      returning id`;
    ids[key] = lead?.id;
    await sql`
      with deal as (
        insert into deals (tenant_id, name, value, stage_id, contact_name, contact_email, lead_id)
        select tenant_id, ${own}, 1, id, ${own}, ${emails[key].toUpperCase()}, ${lead?.id}::uuid from pipeline_stages
        where tenant_id = ${tenantId} and position = 1
        returning tenant_id, id
      )
      insert into deal_activities (tenant_id, type, title, description, lead_id)
      select tenant_id, 'note', ${own}, ${own}, ${lead?.id}::uuid from deal`;
  }
  const whole = { ids: ids as Record<Key, string>, emails: emails as Record<Key, string> };
  const { winner, loser, earlier } = whole.ids;
  await sql`select admin.merge_leads(${tenantId}, ${loser}, ${earlier})`;
  await sql`select admin.merge_leads(tenant_id => ${tenantId}, winner_id => ${winner}, loser_id => ${loser})`;
  return { tenantId, ...whole, marks: [mark, ...Object.values(whole.emails)] };
}

const erase = (tenantId: string, email: string) =>
  sql`select admin.erase_person(${tenantId}, ${email}) as erased`;
const remove = ({ tenantId, ids }: Merged) =>
  sql`delete from leads where tenant_id = ${tenantId} and id = ${ids.winner}`;

/** Auth jobs of an erasure contain the email address until they are done. */
async function nothingIsLeft({ tenantId, marks }: Merged): Promise<void> {
  expect((await tablesWith(sql, tenantId, marks)).filter((table) => table !== 'public.jobs')).toEqual([]);
  await sweepNow();
  await waitFor(async () => (await tablesWith(sql, tenantId, marks)).length === 0);
}

describe.each(keys)('by the email of the %s', (key) => {
  test('clears the data of all merged leads of the person, and leaves other tenants unchanged', async () => {
    const person = await someone();
    const { id: other } = await createTenant(sql);
    await sql`insert into leads (tenant_id, name, email) values (${other}, 'Ana', ${person.emails[key]})`;
    expect(await tablesWith(sql, person.tenantId, person.marks)).toEqual(
      expect.arrayContaining(['public.events', 'public.leads', 'public.merged_leads']),
    );
    const [row] = await erase(person.tenantId, person.emails[key].toUpperCase());
    expect(row?.erased).toMatchObject({ leads: 1, merged_leads: 2 });
    expect(await sql`select from leads where email = ${person.emails[key]}`).toHaveLength(1);
    await sql`delete from leads where tenant_id = ${other}`;
    await erase(other, person.emails[key]);
    await nothingIsLeft(person);
    const [left] = await sql`select name from leads where id = ${person.ids.winner}`;
    expect(left?.name).toBe('Erased person');
    // Any of the email addresses finds the erasure.
    const hashes = await sql`select email_sha256 from admin.erasures where tenant_id = ${person.tenantId}`;
    expect(hashes).toHaveLength(3);
  });

  test('clears it after the winner was deleted as well', async () => {
    const person = await someone();
    await remove(person);
    expect(await tablesWith(sql, person.tenantId, person.marks)).toContain('public.events');
    await erase(person.tenantId, person.emails[key]);
    await nothingIsLeft(person);
  });

  test('exports all of it', async () => {
    const { tenantId, emails, ids } = await someone();
    const [row] = await sql`select admin.export_person(${tenantId}, ${emails[key]}) as data`;
    const { leads, merged_leads: gone, deals, deal_activities: notes, events } = (row?.data ?? {}) as Json;
    expect(leads.map(({ id }: Json) => id)).toEqual([ids.winner]);
    expect(gone.map(({ lead_id: id }: Json) => id).sort()).toEqual([ids.loser, ids.earlier].sort());
    expect([deals.length, notes.length]).toEqual([3, 3]);
    const created = events.filter(({ type }: Json) => type === 'lead.created');
    expect(created.map(({ data }: Json) => data.id).sort()).toEqual(Object.values(ids).sort());
    expect(events.filter(({ type }: Json) => type === 'lead.merged')).toHaveLength(2);
  });
});

test('does not affect a person with another lead in the same tenant', async () => {
  const { tenantId, emails } = await someone();
  const email = newEmail();
  await sql`insert into leads (tenant_id, name, email) values (${tenantId}, 'Rui', ${email})`;
  await erase(tenantId, emails.winner);
  expect(await sql`select name from leads where tenant_id = ${tenantId} and email = ${email}`).toEqual([
    { name: 'Rui' },
  ]);
});

test('the mapping of merged leads is kept while the winner exists, and for some time afterwards', async () => {
  const person = await someone();
  await inTransaction(sql, async (tx) => {
    const left = async () => {
      await tx`select app.drop_expired('merged_leads', 1000000)`;
      return (await tx`select from merged_leads where tenant_id = ${person.tenantId}`).length;
    };
    const age = (what: string) => tx`
      update merged_leads set merged_at = now() - interval '401 days'
      where tenant_id = ${person.tenantId} and (lead_id <> merged_into or ${what} = 'all')`;
    await age('all');
    expect(await left()).toBe(2);
    await tx`delete from leads where tenant_id = ${person.tenantId}`;
    expect(await left()).toBe(3);
    await age('all');
    expect(await left()).toBe(0);
  });
});

test('admin.merge_leads names the argument whose lead does not exist', async () => {
  const { tenantId, ids } = await someone();
  const nobody = crypto.randomUUID();
  const merge = (winner: string, loser: string, tenant = tenantId) =>
    sql`select admin.merge_leads(${tenant}, ${winner}, ${loser})`;
  await expect(merge(nobody, ids.winner)).rejects.toThrow(
    /^winner_id: lead \S+ does not exist in this tenant/,
  );
  await expect(merge(ids.winner, ids.loser)).rejects.toThrow(
    /^loser_id: lead \S+ does not exist in this tenant/,
  );
  await expect(merge(ids.winner, ids.winner)).rejects.toThrow(/^loser_id: must not be the winner/);
  const { id: other } = await createTenant(sql);
  await expect(merge(ids.winner, ids.winner, other)).rejects.toThrow(
    /^winner_id: lead \S+ does not exist in this tenant/,
  );
});
