// Personal data of people and tenants: export, erasure, exceptions, and retention periods.
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, createTenant, type Tenant } from '../support/database.ts';
import { inTransaction, refusal } from '../support/gamification/gamification.ts';
import { activity, type Json, syncActivities, syncCollaborators } from '../support/gamification/sync.ts';
import { invoice, PAYMENT_SCOPES, pay, pixPayout } from '../support/payments/payments.ts';
import { tablesWith } from '../support/records/persons.ts';
import { authUserOf, newEmail } from '../support/records/record-flows.ts';
import { sweepNow } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
let made = 0;

/** Texts that an erasure keeps: the law or other rows need them, the service writes them, or a job uses them until it has run. */
const KEPT =
  /^(tax_documents\.\w+|webhook_endpoints\.url|event_values\.members|idempotency_keys\.key|request_answers\.key|request_log\.(client_id|function|method)|jobs\.(key|payload))$/;

interface Person {
  tenant: Tenant;
  email: string;
  /** Unique texts that must all be erased. */
  marks: string[];
  taxed: Json;
}

/** A person who is a user, collaborator, lead, contact, customer and payee of a tenant. */
async function someone(): Promise<Person> {
  const tenant = await createTenant(sql, { scopes: ['default:sync', ...PAYMENT_SCOPES] });
  const { id, apiKey } = tenant;
  const mark = `zq${process.pid}${made++}${Date.now().toString(36).slice(-5)}`;
  const [email, name, phone, text] = [newEmail(), `Zuleica ${mark}n`, `+55${mark}`, `Private ${mark}t`];
  const [mission] = await sql`select admin.create_mission(${id}, 'Calls', 5) as id`;
  await sql`select admin.map_activity_code(${id}, '001', ${mission?.id})`;
  await sql`
    insert into users (tenant_id, name, email, phone, avatar_url)
    values (${id}, ${name}, ${email}, ${phone}, ${`https://example.com/${mark}`})`;
  const [registered] = [
    await syncCollaborators(apiKey, [
      { external_id: 'c-1', name, email, phone, document: mark, metadata: { text } },
    ]),
  ];
  expect(registered?.body.data).toMatchObject({ created: 1, errors: [] });
  await syncActivities(apiKey, [activity('1', email, { data: { text } }), activity('2', email)]);
  await sql`select admin.adjust_points(${id}, ${email}, 7, 'Quiz')`;
  await sql`
    insert into leads (tenant_id, name, email, phone, company, custom_fields, tags)
    values (${id}, ${name}, ${email.toUpperCase()}, ${phone}, ${text}, jsonb_build_object('x', repeat(${text}::text, 100)), array[${text}::text])`;
  await sql`
    with deal as (
      insert into deals (tenant_id, name, value, stage_id, contact_name, contact_email, custom_fields, lead_id)
      select s.tenant_id, ${text}, 1, s.id, ${name}, ${email}, jsonb_build_object('x', ${text}::text), l.id
      from pipeline_stages s join leads l on l.tenant_id = s.tenant_id
      where s.tenant_id = ${id} and s.position = 1
      returning tenant_id, id
    )
    insert into deal_activities (tenant_id, type, title, description, deal_id)
    select tenant_id, 'note', ${text}, ${text}, id from deal`;
  // A response in the names of a variant.
  await sql`
    insert into request_answers (tenant_id, scope, key, fingerprint, status, body, headers)
    select l.tenant_id, 'crm', '1', 'f', 201, jsonb_build_object('data', jsonb_build_object('id', l.id, 'full_name', l.name, 'mobile', l.phone)), '{}'
    from leads l where l.tenant_id = ${id}`;
  await fillTexts(id, text);
  await sql`update leads set status = 'contacted' where tenant_id = ${id}`;

  const customer = { country: 'BR', tax_id: '52998224725', name, email, phone: '+5511987654321' };
  const tax = { auto_issue: true, service_code: '1.01' };
  const billed = await pay(
    apiKey,
    '/invoices',
    invoice({ customer, description: text, metadata: { text }, tax_document: tax }),
  );
  expect(billed.status).toBe(201);
  expect((await pay(apiKey, `/sandbox/invoices/${billed.body.id}/pay`, {})).status).toBe(200);
  const taxed = await waitFor(async () => {
    const [row] = await sql`select * from tax_documents where tenant_id = ${id} and status = 'issued'`;
    return row;
  });
  const refund = await pay(apiKey, `/invoices/${billed.body.id}/refunds`, { amount: 1, reason: text });
  expect(refund.status).toBe(201);
  const { beneficiary, ...payout } = pixPayout();
  const account = { type: 'pix', key_type: 'email', key: email };
  const paid = await pay(apiKey, '/payouts', {
    ...payout,
    beneficiary: { ...beneficiary, name, bank_account: account },
  });
  expect(paid.status).toBe(201);
  // Later payments would change the numbers.
  await waitFor(
    async () =>
      (
        await sql`
          select from payouts p join refunds r on r.tenant_id = p.tenant_id
          where p.tenant_id = ${id} and p.status = 'paid' and r.status = 'succeeded'`
      ).length === 1,
  );
  return { tenant, email, marks: [email, mark], taxed };
}

/** Texts that are not personal: kinds and references of rows. */
const NOT_PERSONAL = ['status', 'type', 'role', 'priority', 'search', 'currency'];

/** Fills every text column that the person's records may contain and that is still empty. */
async function fillTexts(tenantId: string, text: string): Promise<void> {
  for (const table of ['leads', 'deals', 'deal_activities', 'users', 'collaborators']) {
    const columns = await sql`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and data_type = 'text' and is_nullable = 'YES'
        and is_generated = 'NEVER' and column_name <> all (${NOT_PERSONAL})`;
    for (const { name } of columns) {
      await sql`
        update ${sql(table)} set ${sql(name)} = ${text} where tenant_id = ${tenantId} and ${sql(name)} is null`;
    }
  }
}

const numbersOf = async (tenantId: string) => {
  const [row] = await sql`
    select (select sum(total_points)::integer from players where tenant_id = ${tenantId}) as points,
           (select count(*)::integer from players where tenant_id = ${tenantId}) as players,
           (select count(*)::integer from activities where tenant_id = ${tenantId}) as activities,
           (select sum(net)::integer from balance_transactions where tenant_id = ${tenantId}) as net,
           (select count(*)::integer from request_log where tenant_id = ${tenantId}) as requests,
           (select count(*)::integer from invoices where tenant_id = ${tenantId}) as invoices`;
  return row;
};

describe('erasing a person', () => {
  let person: Person;
  let before: Json;
  let erased: Json;
  beforeAll(async () => {
    person = await someone();
    before = await numbersOf(person.tenant.id);
    expect(await tablesWith(sql, person.tenant.id, person.marks)).toEqual(
      expect.arrayContaining([
        'public.users',
        'public.events',
        'public.event_values',
        'public.invoices',
        'public.idempotency_keys',
        'public.payouts',
        'public.refunds',
        'public.request_answers',
      ]),
    );
    const [row] =
      await sql`select admin.erase_person(tenant_id => ${person.tenant.id}, email => ${person.email.toUpperCase()}) as erased`;
    erased = row?.erased;
  });

  test('removes their data from every table', async () => {
    expect(erased).toMatchObject({
      ...{
        users: 1,
        collaborators: 1,
        activities: 2,
        leads: 1,
        deals: 1,
        deal_activities: 1,
        invoices: 1,
        payouts: 1,
      },
    });
    expect(erased.events).toBeGreaterThan(5);
    expect(erased.idempotency_keys).toBeGreaterThan(1);
    expect(erased.request_answers).toBe(1);
    await sweepNow();
    await waitFor(async () => (await tablesWith(sql, person.tenant.id, person.marks)).length === 0);
  });

  test('keeps ledgers, counts, one player and the issued tax document', async () => {
    const { id } = person.tenant;
    expect(await numbersOf(id)).toEqual(before);
    expect(await sql`select * from admin.point_differences where tenant_id = ${id}`).toEqual([]);
    const standings =
      await sql`select name, points::integer, email like 'erased-%@erased.invalid' as erased from admin.standings where tenant_id = ${id}`;
    expect(standings).toEqual([{ name: 'Erased person', points: 17, erased: true }]);
    const [document] = await sql`select * from tax_documents where id = ${person.taxed.id}`;
    expect(document).toEqual(person.taxed);
  });

  test('is logged without the person, and can be found by their email', async () => {
    const rows = await sql`
      select erased, erased_by from admin.erasures
      where tenant_id = ${person.tenant.id} and email_sha256 = encode(sha256(convert_to(${person.email}, 'UTF8')), 'hex')`;
    expect(rows).toEqual([{ erased, erased_by: 'postgres' }]);
  });

  test('leaves events append-only otherwise, and stored responses readable', async () => {
    await expect(sql`update events set data = '{}' where tenant_id = ${person.tenant.id}`).rejects.toThrow(
      'append-only',
    );
    const list = await pay(person.tenant.apiKey, '/invoices', undefined, { method: 'GET' });
    expect(list.status).toBe(200);
  });

  test("leaves the role in a user's events, which is not personal and always documented", async () => {
    const rows = await sql`
      select distinct app.event_data(e) ->> 'role' as role from events e
      where tenant_id = ${person.tenant.id} and type = 'user.created' and app.event_data(e) ->> 'name' = 'Erased person'`;
    expect(rows).toEqual([{ role: 'sales_rep' }]);
  });

  test('deletes the account in Auth that was created by an invitation here', async () => {
    const email = newEmail();
    const { id } = await createTenant(sql);
    await sql`insert into users (tenant_id, name, email, status) values (${id}, 'Rui', ${email}, 'invited')`;
    await sweepNow();
    await waitFor(() => authUserOf(sql, email));
    await sql`select admin.erase_person(${id}, ${email})`;
    await sweepNow();
    await waitFor(async () => !(await authUserOf(sql, email)));
  });

  test('clears the IP address of requests by clients that act for them', async () => {
    const { id } = await createTenant(sql);
    const email = newEmail();
    const [user] =
      await sql`insert into users (tenant_id, name, email) values (${id}, 'Rui', ${email}) returning id`;
    const [client] =
      await sql`select client_id from admin.create_oauth_client(${id}, 'c', '{read:leads}', 'a', ${user?.id})`;
    const log = (clientId: string | null, path: string) => sql`
      insert into request_log (request_id, tenant_id, client_id, function, method, path, status, ip, duration_ms)
      values (${crypto.randomUUID()}, ${id}, ${clientId}, 'v1', 'GET', ${path}, 200, '203.0.113.7', 1)`;
    await log(client?.client_id, '/leads');
    await log(null, `/users/${user?.id}`);
    await log(null, '/leads');
    await sql`select admin.erase_person(${id}, ${email})`;
    const rows = await sql`select path, ip from request_log where tenant_id = ${id} order by at`;
    expect(rows.map(({ ip }) => ip)).toEqual([null, null, '203.0.113.7']);
  });
});

test('their address is erased in every text of the tenant, plain or encoded', async () => {
  const { tenant } = await someone();
  await sql`select admin.create_payment_webhook(${tenant.id}, 'https://example.com')`;
  const email = newEmail();
  const [local = '', domain = ''] = email.split('@');
  const forms = [
    email,
    email.toUpperCase(),
    `${local}%40${domain}`,
    `${local}%2540${domain}`,
    `%22${local}%40${domain.replaceAll('.', '%2e')}%22`,
    encodeURIComponent(email).replace(/^./, (char) => `%${char.charCodeAt(0).toString(16)}`),
    `${local}\\u0040${domain}`,
  ];
  const other = `x.${email} x%2e${local}%40${domain} ${email}.br ${local}%40${domain}%2Ebr`;
  const text = `See ${forms.join(' ')} and ${other}`;
  const columns = await sql`
    select c.oid::regclass::text as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c
    join pg_namespace s on s.oid = c.relnamespace and s.nspname in ('public', 'private')
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and not c.relispartition and a.atttypid in ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype)
      and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'tenant_id')
      -- Codes and ids that rows refer to are kept.
      and not exists (select from pg_constraint k
                      where k.contype = 'f' and (k.conrelid = c.oid and a.attnum = any (k.conkey) or k.confrelid = c.oid and a.attnum = any (k.confkey)))`;
  const filled: string[] = [];
  const left: string[] = [];
  await inTransaction(sql, async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const { table, column, type } of columns) {
      const values: Record<string, string> = {
        text: column === 'name' || column === 'key' ? `${local}%40${domain}` : text,
        jsonb: JSON.stringify({ [email]: [text] }),
        'text[]': `{"${text.replaceAll('\\', '\\\\')}"}`,
      };
      await tx
        .savepoint(async (step) => {
          const { count } = await step.unsafe(
            `update ${table} set "${column}" = $1::${type} where ctid = (select ctid from ${table} where tenant_id = $2 limit 1)`,
            [values[type] ?? '', tenant.id],
          );
          if (count > 0) filled.push(`${table}.${column}`);
        })
        // A constraint that no address fulfills.
        .catch(() => {});
    }
    await tx`set local session_replication_role = origin`;
    await tx`select admin.erase_person(${tenant.id}, ${email})`;
    for (const name of filled) {
      const [table, column] = name.split(/\.(?=[^.]+$)/);
      const rows = await tx.unsafe(
        `select from ${table} where tenant_id = $1 and private.mentions("${column}"::text, $2)`,
        [tenant.id, email],
      );
      if (rows.length > 0) left.push(name);
    }
    const [log] =
      await tx`select path, ip, request_id from request_log where tenant_id = ${tenant.id} and path like '%invalid%' limit 1`;
    expect(log).toMatchObject({ ip: null, path: expect.stringContaining(other) });
  });
  expect(filled).toEqual(
    expect.arrayContaining([
      ...['admin_changes.program', 'payouts.contractor_reference', 'activities.external_id'],
      ...['request_log.path', 'request_log.query', 'collaborators.external_id', 'events.origin'],
    ]),
  );
  // docs/personal-data.md says why these are kept.
  expect(left.filter((name) => !KEPT.test(name))).toEqual([]);
});

test('an export contains everything about a person', async () => {
  const person = await someone();
  const [row] = await sql`select admin.export_person(${person.tenant.id}, ${person.email}) as data`;
  const counts = Object.fromEntries(
    Object.entries<Json>(row?.data).flatMap(([name, rows]) =>
      Array.isArray(rows) ? [[name, rows.length]] : [],
    ),
  );
  expect(counts).toMatchObject({
    ...{
      users: 1,
      collaborators: 1,
      players: 1,
      activities: 2,
      leads: 1,
      deals: 1,
      deal_activities: 1,
      invoices: 1,
      payouts: 1,
    },
    ...{ tax_documents: 1, point_entries: 3 },
  });
  expect(counts.events).toBeGreaterThan(5);
  const [other] = await sql`select admin.export_person(${person.tenant.id}, 'nobody@example.com') as data`;
  expect(Object.values<Json>(other?.data).flat()).toEqual(['nobody@example.com']);
});

test('neither the export nor the erasure touches persons whose address contains the other one', async () => {
  const { id } = await createTenant(sql);
  const email = newEmail();
  const others = [`mari${email}`, `j.${email}`, `${email}.br`, `${email}-shop.com`];
  const lead = (address: string) =>
    sql`insert into leads (tenant_id, name, email, company) values (${id}, ${address}, ${address}, ${`See\n${address}.`})`;
  for (const address of [email, ...others]) await lead(address);
  const events = async () =>
    await sql`select app.event_data(e) as data from events e where tenant_id = ${id}`;
  const before = (await events()).filter(({ data }) => others.includes(data.email));
  expect(before).toHaveLength(others.length);

  const [row] = await sql`select admin.export_person(${id}, ${email}) as data`;
  expect(row?.data.events.map(({ data }: Json) => data.email)).toEqual([email]);
  await sql`select admin.erase_person(${id}, ${email})`;
  const after = await events();
  expect(after.filter(({ data }) => others.includes(data.email))).toEqual(before);
  const [own] =
    await sql`select private.without_address(to_jsonb(${`See\n${email}.`}::text)::text, ${email}, 'x') as text`;
  expect(own?.text).toBe(JSON.stringify('See\nx.'));
});

test('the export of a seller does not contain the leads that they own', async () => {
  const { id } = await createTenant(sql);
  const [seller, customer] = [newEmail(), newEmail()];
  await sql`
    with seller as (insert into users (tenant_id, name, email) values (${id}, 'Rui', ${seller}) returning tenant_id, id)
    insert into leads (tenant_id, name, email, owner_id) select tenant_id, 'Customer', ${customer}, id from seller`;
  const [row] = await sql`select admin.export_person(${id}, ${seller}) as data`;
  expect(row?.data.events.map(({ type }: Json) => type)).toEqual(['user.created']);
  expect(JSON.stringify(row)).not.toContain(customer);
});

describe('a tenant', () => {
  const remains = async (tenantId: string) => {
    const tables = await sql`select private.tables_of_tenants() as name`;
    const left: string[] = [];
    for (const { name } of tables) {
      if ((await sql`select from ${sql(name)} where tenant_id = ${tenantId} limit 1`).length > 0)
        left.push(name);
    }
    return left;
  };

  test('is exported without secrets', async () => {
    const { tenant, marks } = await someone();
    const [row] = await sql`select admin.export_tenant(${tenant.id}) as data`;
    expect(row?.data.users).toHaveLength(1);
    expect(row?.data.tenant.id).toBe(tenant.id);
    expect(JSON.stringify(row?.data)).toContain(marks[0]);
    expect(JSON.stringify(row?.data)).not.toMatch(/key_hash|token_hash/);
  });

  test('is deleted only if its slug is given, together with everything except the request log', async () => {
    const { tenant } = await someone();
    const [{ slug } = {}] = await sql`select slug from tenants where id = ${tenant.id}`;
    const would = await sql`select * from admin.delete_tenant(${tenant.id})`;
    expect(would).toEqual(expect.arrayContaining([{ what: 'users', row_count: '1', deleted: false }]));
    await expect(sql`select * from admin.delete_tenant(${tenant.id}, 'other')`).rejects.toThrow(
      /^confirm_slug: "other" is not/,
    );
    expect(await remains(tenant.id)).toContain('users');

    const requests = (await numbersOf(tenant.id))?.requests;
    const went = await sql`select * from admin.delete_tenant(${tenant.id}, confirm_slug => ${slug})`;
    expect(went.every(({ deleted }) => deleted)).toBe(true);
    expect(await remains(tenant.id)).toEqual([]);
    expect(await sql`select from tenants where id = ${tenant.id}`).toEqual([]);
    expect((await numbersOf(tenant.id))?.requests).toBe(requests);
  });
});

describe('retention', () => {
  const age = (tx: postgres.TransactionSql, table: string, column: string, tenantId: string) => tx`
    update ${tx(table)} set ${tx(column)} = now() - interval '1000 days' where tenant_id = ${tenantId}`;

  test('deletes expired rows in steps, and keeps others', async () => {
    const { tenant } = await someone();
    const count = async (tx: postgres.TransactionSql, table: string) =>
      (await tx`select count(*)::integer as n from ${tx(table)} where tenant_id = ${tenant.id}`)[0]?.n;
    await inTransaction(sql, async (tx) => {
      for (const table of ['events', 'idempotency_keys'])
        await tx`select app.drop_expired(${table}, 1000000)`;
      const events = await count(tx, 'events');
      expect(events).toBeGreaterThan(3);
      await tx`select set_config('app.maintenance', 'on', true)`;
      await age(tx, 'events', 'created_at', tenant.id);
      await tx`select set_config('app.maintenance', '', true)`;
      await age(tx, 'idempotency_keys', 'created_at', tenant.id);
      await age(tx, 'idempotency_keys', 'locked_until', tenant.id);
      const [step] = await tx`select app.drop_expired('events', 2) as n`;
      expect(step?.n).toBe(2);
      expect(await count(tx, 'events')).toBe(events - 2);
      for (const table of ['events', 'idempotency_keys']) {
        await tx`select app.drop_expired(${table}, 1000000)`;
        expect(await count(tx, table)).toBe(0);
      }
      // Settings that it makes for itself do not last.
      await tx`insert into events (tenant_id, interface, type, data) values (${tenant.id}, 'records', 'lead.created', '{}')`;
      const said = await refusal(tx, (sp) => sp`delete from events where tenant_id = ${tenant.id}`);
      expect(said).toContain('append-only');
    });
  });

  test('an event stays while one of its deliveries is kept', async () => {
    const { id } = await createTenant(sql);
    await inTransaction(sql, async (tx) => {
      await tx`select admin.create_payment_webhook(${id}, 'https://example.com')`;
      await tx`insert into events (tenant_id, interface, type, data) values (${id}, 'payments', 'invoice.paid', '{}')`;
      await tx`select set_config('app.maintenance', 'on', true)`;
      await age(tx, 'events', 'created_at', id);
      await tx`select set_config('app.maintenance', '', true)`;
      const left = async () => (await tx`select from events where tenant_id = ${id}`).length;
      await tx`select app.drop_expired('events', 1000000)`;
      expect(await left()).toBe(1);
      await tx`update webhook_deliveries set status = 'delivered', next_at = null, created_at = now() - interval '91 days' where tenant_id = ${id}`;
      await tx`select app.drop_expired('webhook_deliveries', 1000000)`;
      await tx`select app.drop_expired('events', 1000000)`;
      expect(await left()).toBe(0);
    });
  });

  test('keeps finished jobs for a week and permanently failed jobs for a month', async () => {
    const { id } = await createTenant(sql);
    await inTransaction(sql, async (tx) => {
      await tx`
        insert into jobs (tenant_id, name, key, finished_at, failed_at)
        select ${id}, 'test', ${id} || ':' || days || ':' || finished, case when finished then at end, case when not finished then at end
        from unnest(array[6, 8, 29, 31]) as days, unnest(array[true, false]) as finished,
             lateral (select now() - make_interval(days => days)) as aged (at)`;
      for (const what of ['jobs', 'failed_jobs']) await tx`select app.drop_expired(${what}, 1000000)`;
      expect(
        await tx`select split_part(key, ':', 2) || ':' || split_part(key, ':', 3) as left from jobs where tenant_id = ${id} order by key`,
      ).toEqual(['29:false', '6:false', '6:true', '8:false'].map((left) => ({ left })));
    });
  });

  test('is a setting of the deployment, within limits', async () => {
    await inTransaction(sql, async (tx) => {
      await tx`select admin.set_retention(what => 'jobs', days => 8)`;
      expect(await tx`select days from admin.retention where what = 'jobs'`).toEqual([{ days: 8 }]);
      expect(await refusal(tx, (sp) => sp`select admin.set_retention('leads', 7)`)).toMatch(
        /^what: "leads" is unknown; allowed: automation_runs, crm_events, crm_preview_rows, crm_runs, event_positions, events/,
      );
      expect(await refusal(tx, (sp) => sp`select admin.set_retention('idempotency_keys', 1)`)).toBe(
        'days: 1 is out of range; allowed: 2 or more',
      );
    });
  });
});
