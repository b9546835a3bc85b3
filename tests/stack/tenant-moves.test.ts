// Moving a tenant between two stacks, as docs/operations/moving-a-tenant.md describes. npm run proof:move kills it at each step.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Output } from '../../clients/typescript/src/cli/output.ts';
import { writeTenant } from '../../clients/typescript/src/cli/tenant/accounts.ts';
import { closeSide, openSide } from '../../clients/typescript/src/cli/tenant/side.ts';
import {
  deleteOrphans,
  syncTables,
  type Table,
  tablesToCopy,
} from '../../clients/typescript/src/cli/tenant/tables.ts';
import { runCli, startCli, useCli } from '../clients/cli/run-cli.ts';
import {
  createAccount,
  createMovableTenant,
  type MovableTenant,
  type Project,
  type Projects,
  receivedEvents,
  recordsOf,
  sendActivity,
  startProjects,
  sweep,
  untilIdle,
} from '../support/moves/projects.ts';
import { atAsaas, atStripe, connectAsaas, connectStripe } from '../support/payments/accounts-at-fakes.ts';
import { invoice, pay } from '../support/payments/payments.ts';
import { waitFor } from '../support/wait-for.ts';

let projects: Projects;
let source: Project;
let destination: Project;
let acme: MovableTenant;
useCli();
beforeAll(async () => {
  const { ASAAS_URL = '', STRIPE_URL = '' } = inject('env');
  projects = await startProjects({ ASAAS_URL, STRIPE_URL });
  ({ source, destination } = projects);
  acme = await createMovableTenant(source, 'acme');
});
afterAll(() => projects?.stop());

const tenant = (command: string, slug: string, ...more: string[]) => [
  'tenant',
  command,
  slug,
  '--from',
  source.file,
  '--to',
  destination.file,
  ...more,
];
const moveRow = async ({ sql }: Project, slug: string) =>
  (await sql`select * from admin.tenant_moves where slug = ${slug} order by created_at desc limit 1`)[0];
const triggers = async ({ sql }: Project) => {
  const [row] = await sql`select count(*)::integer as left from pg_trigger where tgname like '000_moving%'`;
  return row?.left;
};

describe('a move is rejected, and nothing is changed,', () => {
  test('with all reasons at once', async () => {
    // Both stacks have the demo tenant.
    const { code, stderr } = await runCli(tenant('move', 'demo', '--no-json'));
    expect(code).toBe(1);
    expect(stderr).toContain('The destination already has these tenant ids');
    expect(stderr).toContain('The destination already has these slugs: demo');
    expect(await moveRow(source, 'demo')).toBeUndefined();
  });

  test('without settings, or with a pooler in transaction mode', async () => {
    const none = await runCli(['tenant', 'move', 'acme', '--to', destination.file]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('FROM_DATABASE_URL') });
    const env = {
      FROM_DATABASE_URL: 'postgres://u:p@127.0.0.1:6543/postgres',
      FROM_FUNCTIONS_URL: source.functionsUrl,
      FROM_SUPABASE_URL: source.stack.info.base_url,
      FROM_SUPABASE_SECRET_KEYS: '{"default":"x"}',
    };
    const pooler = await runCli(['tenant', 'move', 'acme', '--to', destination.file], { env });
    expect(pooler).toMatchObject({ code: 2, stderr: expect.stringContaining('transaction mode') });
  });

  test('for a plan with other limits, unless it is named', async () => {
    await destination.sql`update public.plans set max_users = 7 where name = 'enterprise'`;
    const refused = await runCli(tenant('move', 'acme', '--dry-run'));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('max_users') });
    const accepted = await runCli(tenant('move', 'acme', '--dry-run', '--plan', 'enterprise'));
    expect(accepted.code).toBe(0);
    expect(await moveRow(source, 'acme')).toBeUndefined();
  });
});

describe('a hostile source', () => {
  test('does not run its SQL at the destination', async () => {
    const [own] =
      await source.sql`select pg_get_functiondef('private.tables_to_copy'::regproc) as definition`;
    await source.sql.unsafe(`
      create or replace function private.tables_to_copy(tenant_id uuid)
      returns table (table_name text, how text, condition text, columns text[], key_columns text[], key_types text[], own_columns text[])
      language sql stable as $$
        select 'public.leads t where false; create table public.owned (); select 1 as id from public.leads', 'copy', 't.tenant_id = ''x''',
               '{id}'::text[], '{id}'::text[], '{uuid}'::text[], '{}'::text[] $$`);
    const { code, stderr } = await runCli(tenant('move', 'acme', '--plan', 'enterprise'));
    await source.sql.unsafe(own?.definition);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('different tables') });
    expect(await destination.sql`select to_regclass('public.owned') as made`).toEqual([{ made: null }]);
    expect(await runCli(tenant('rollback', 'acme'))).toMatchObject({ code: 0 });
  });

  test('cannot add rows to other tenants', async () => {
    const { tenant_id: victim } = destination.stack.info;
    const [webhook] = await destination.sql`
      insert into public.webhook_endpoints (tenant_id, interface, url, events)
      values (${victim}, 'records', 'https://receiver.example/', '{lead.created}') returning id`;
    const rows: Record<string, string> = {
      'public.cost_centers': `select 'evil' as code, now() as created_at, false as is_default, 'Evil' as name, '${victim}'::uuid as tenant_id`,
      'private.webhook_secrets': `select 1 as id, now() as created_at, '${webhook?.id}'::uuid as endpoint_id, now() + interval '1 day' as expires_at, 'evil' as secret`,
    };
    const all = await destination.sql<Table[]>`select * from private.tables_to_copy(${acme.id})`;
    for (const table of all.filter(({ table_name: name }) => name in rows)) {
      const { table_name: name, columns } = table;
      const sent = `(${rows[name]}) t`;
      const hostile = {
        unsafe: (text: string) =>
          source.sql.unsafe(
            text.replace(new RegExp(`from ${name} t where .*?( order by|offset|$)`, 's'), `from ${sent} $1`),
          ),
      };
      const move = {
        id: crypto.randomUUID(),
        tenantId: acme.id,
        from: { ...source, sql: hostile, whenLost: new Set() },
        to: { ...destination, whenLost: new Set() },
        checkpoint: async () => {},
      };
      const [result] = await syncTables(move as never, [table], { again: false });
      expect(columns.join(), name).toBe([...columns].sort().join());
      expect(result, name).toMatchObject({ rows: 0, differsIn: expect.any(String) });
    }
    expect(await destination.sql`select from public.cost_centers where code = 'evil'`).toHaveLength(0);
    expect(await destination.sql`select from private.webhook_secrets where secret = 'evil'`).toHaveLength(0);
  });
});

test('in the window, reads are served and writes rejected, until it ends', async () => {
  const { sql } = source;
  const globex = await createMovableTenant(source, 'globex');
  const records = await recordsOf(source, globex);
  const other = await recordsOf(source, acme);
  expect(await records('POST', '/leads', { name: 'Nina', email: 'nina@globex.example' })).toMatchObject({
    status: 201,
  });
  await untilIdle(source, globex.id);
  const [{ id } = {}] =
    await sql`select admin.move_out(${globex.id}, 'https://new.example/functions/v1') as id`;
  expect(await sql`select admin.move_out(${globex.id}, 'https://new.example/functions/v1') as id`).toEqual([
    { id },
  ]);
  await expect(sql`select admin.switch_tenant(${id})`).rejects.toMatchObject({ code: 'PL409' });
  const freeze = () => waitFor(() => sql`select admin.freeze_tenant(${id})`.catch(() => false));
  await freeze();
  await waitFor(async () => (await sql`select admin.freeze_settled(${id}) as settled`)[0]?.settled);

  const refused = await records('POST', '/leads', { name: 'Otto', email: 'otto@globex.example' });
  expect(refused).toMatchObject({
    status: 503,
    body: {
      error: { message: 'This workspace is being moved. Nothing was done; please retry.', effect: 'none' },
    },
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await records('GET', '/leads')).toMatchObject({ status: 200, body: { meta: { total: 1 } } });
  expect(await records('GET', '/events')).toMatchObject({ status: 200 });
  expect((await sendActivity(source, globex.apiKey, 'frozen')).status).toBe(503);
  const reasons =
    await sql`select distinct reason from public.request_log where tenant_id = ${globex.id} and status = 503`;
  expect(reasons).toEqual([{ reason: 'tenant_moving' }]);
  expect(await other('POST', '/leads', { name: 'Otto', email: 'otto@acme.example' })).toMatchObject({
    status: 201,
  });
  // The use of a key is noted; nothing else of the key changes. Secrets have no tenant_id of their own.
  await sql`update public.api_keys set last_used_at = now() where tenant_id = ${globex.id}`;
  for (const write of [
    () => sql`update public.api_keys set label = 'x' where tenant_id = ${globex.id}`,
    () => sql`update public.leads set name = 'x' where tenant_id = ${globex.id}`,
    () => sql`delete from public.leads where tenant_id = ${globex.id}`,
    () => sql`select admin.set_plan(${globex.id}, 'starter')`,
    () => sql`select admin.rotate_client_secret(${globex.clientId})`,
    () =>
      sql.begin(async (tx) => {
        await tx`set local role service_role`;
        await tx`insert into public.leads (tenant_id, name, email) values (${globex.id}, 'x', 'x@globex.example')`;
      }),
  ]) {
    await expect(write()).rejects.toMatchObject({ code: 'PL503' });
  }
  // A worker neither claims nor publishes a job of it, and its statement succeeds.
  const claimed = await sql.begin(async (tx) => {
    await tx`set local role worker`;
    return await tx`update public.jobs set attempts = attempts + 1, locked_until = now() where tenant_id = ${globex.id} returning id`;
  });
  expect(claimed).toHaveLength(0);

  await sql`update private.tenant_moves set frozen_until = clock_timestamp() where id = ${id}`;
  expect(await records('POST', '/leads', { name: 'Otto', email: 'otto@globex.example' })).toMatchObject({
    status: 201,
  });
  await expect(sql`select admin.renew_freeze(${id})`).rejects.toMatchObject({ code: 'PL409' });
  await freeze();
  await sql`select admin.thaw_tenant(${id})`;
  await waitFor(async () => (await sql`select private.open_tables(${id}) as left`)[0]?.left === 0);
  expect(await triggers(source)).toBe(0);
  expect(await records('POST', '/leads', { name: 'Pia', email: 'pia@globex.example' })).toMatchObject({
    status: 201,
  });
  await sql`select admin.roll_back_move(${id})`;
});

test('webhooks that are created and deleted between the copies of two tables', async () => {
  const initech = await createMovableTenant(source, 'initech');
  const records = await recordsOf(source, initech);
  const createWebhook = async (name: string) => {
    const { body } = await records('POST', '/webhooks', {
      url: `${source.stack.info.inbox_url}?${name}`,
      secret: `a secret of the webhook ${name}`,
      events: ['lead.created'],
    });
    return body.data.id as string;
  };
  await createWebhook('first');
  const doomed = await createWebhook('doomed');
  const out = new Output({ json: true });
  const [from, to] = [await openSide('from', source.file, out), await openSide('to', destination.file, out)];
  const [row] = await source.sql`select admin.move_out(${initech.id}, ${destination.functionsUrl}) as id`;
  let onTable = async (_n: number): Promise<unknown> => undefined;
  let n = 0;
  const move = {
    id: row?.id,
    tenantId: initech.id,
    from,
    to,
    checkpoint: async () => void (await onTable(++n)),
  };
  await writeTenant(move, 'enterprise');
  const tables = await tablesToCopy(move);
  const ofTenant = tables.filter(({ condition }) => condition.startsWith('t.tenant_id = '));
  const pass = async (again: boolean, when: number, act: () => Promise<unknown>) => {
    n = 0;
    let acting: Promise<unknown> | undefined;
    onTable = async (at) => {
      if (at < when) return;
      acting ??= act();
      await acting;
    };
    await syncTables(move, tables, { again });
  };
  // Secrets are copied after endpoints, and once more before them when the destination has both.
  await pass(false, ofTenant.length + 1, () => createWebhook('late'));
  await pass(true, tables.length - ofTenant.length + 1, () => records('DELETE', `/webhooks/${doomed}`));
  await deleteOrphans(move, tables);
  const secrets = ({ sql }: Project) => sql`
    select s.secret from private.webhook_secrets s
    left join public.webhook_endpoints w on w.id = s.endpoint_id
    where w.tenant_id = ${initech.id} or w.id is null order by 1`;
  expect(await secrets(source)).toHaveLength(2);
  expect([...(await secrets(destination))]).toEqual([...(await secrets(source))]);
  await Promise.all([closeSide(from), closeSide(to)]);
  expect(await runCli(tenant('rollback', 'initech'))).toMatchObject({ code: 0 });
});

test('accounts at providers move with their keys and webhooks, and the source passes on what arrives late', async () => {
  const { sql } = source;
  const umbrella = await createMovableTenant(source, 'umbrella');
  const [bank, card] = await Promise.all([
    atAsaas().createAccount({ balance: 100 }),
    atStripe().createAccount({ country: 'US', currency: 'usd' }),
  ]);
  const asaasId = await connectAsaas(sql, umbrella.id, bank.apiKey);
  const stripeId = await connectStripe(sql, umbrella.id, card.apiKey);
  const untilConnected = async (to: Project) => {
    await sweep(to);
    await waitFor(async () => {
      const rows = await to.sql`
        select from provider_accounts
        where id = any (${[asaasId, stripeId]}) and status = 'active' and webhook_state = 'active'
          and starts_with(callback_url, ${`${to.functionsUrl}/`})`;
      return rows.length === 2;
    });
  };
  await untilConnected(source);
  const bill = async (at: Project) => {
    const { status, body } = await pay(umbrella.apiKey, '/invoices', invoice(), { baseUrl: at.functionsUrl });
    expect([status, body.status]).toEqual([201, 'open']);
    const [row] = await at.sql`select provider, provider_reference from invoices where id = ${body.id}`;
    expect(row?.provider).toBe('asaas');
    return { id: body.id as string, reference: row?.provider_reference as string };
  };
  const untilPaid = (id: string) =>
    waitFor(async () => {
      const { body } = await pay(umbrella.apiKey, `/invoices/${id}`, undefined, {
        baseUrl: destination.functionsUrl,
      });
      return body.status === 'paid';
    });
  const late = await bill(source);
  const old = (await atAsaas().account(bank.id, 'webhooks')).webhooks;
  const moved = await runCli(tenant('move', 'umbrella', '--plan', 'enterprise', '--no-json'));
  expect(moved.code, moved.stderr).toBe(0);
  await untilConnected(destination);
  const urls = async () => [
    ...(await atAsaas().account(bank.id, 'webhooks')).webhooks.map(({ url }) => url),
    ...(await atStripe().account(card.id, 'endpoints')).endpoints.map(({ url }) => url),
  ];
  expect(await urls()).toEqual([
    `${destination.functionsUrl}/callbacks/providers/asaas/${asaasId}`,
    `${destination.functionsUrl}/callbacks/providers/stripe/${stripeId}`,
  ]);

  // As if Asaas still sent to the source.
  const [webhook] = (await atAsaas().account(bank.id, 'webhooks')).webhooks;
  const point = (url = '') =>
    fetch(`${inject('env').ASAAS_URL}/webhooks/${webhook?.id}`, {
      method: 'PUT',
      headers: { access_token: bank.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url }),
    });
  expect((await point(old[0]?.url)).status).toBe(200);
  await atAsaas().pay(bank.id, late.reference);
  await untilPaid(late.id);
  expect((await point(webhook?.url)).status).toBe(200);

  const { code, stderr } = await runCli(tenant('finish', 'umbrella', '--confirm', 'umbrella', '--no-json'));
  expect(code, stderr).toBe(0);
  const keys = ({ sql }: Project) => sql`
    select from vault.secrets where name like '%' || ${asaasId} || '%' or name like '%' || ${stripeId} || '%'`;
  expect(await keys(source)).toHaveLength(0);
  expect((await keys(destination)).length).toBeGreaterThan(1);
  const direct = await bill(destination);
  await atAsaas().pay(bank.id, direct.reference);
  await untilPaid(direct.id);
});

describe('a tenant that keeps working during its move', () => {
  let email: { own: string; known: string };
  let before: {
    cursor: string;
    etag: string | null;
    lead: string;
    invoice: Record<string, never>;
    file: string;
    token: Awaited<ReturnType<typeof recordsOf>>;
  };
  const sent = new Set<string>();
  const key = 'once-and-only-once-1';

  beforeAll(async () => {
    email = { own: 'own@acme.example', known: 'known@acme.example' };
    const token = await recordsOf(source, acme);
    await token('POST', '/webhooks', { url: source.stack.info.inbox_url, events: ['lead.created'] });
    const lead = await token('POST', '/leads', { name: 'Ana', email: 'ana@acme.example' });
    const billed = await pay(acme.apiKey, '/invoices', invoice({ payment_method: { type: 'boleto' } }), {
      baseUrl: source.functionsUrl,
      key,
    });
    expect(billed.status).toBe(201);
    const file = /http[^"]*\/payments\/files\/[^"]*boleto\.pdf/.exec(JSON.stringify(billed.body))?.[0] ?? '';
    expect((await fetch(file)).status).toBe(200);
    await createAccount(source, acme.id, email.own);
    await createAccount(source, acme.id, email.known);
    await createAccount(destination, destination.stack.info.tenant_id, email.known);
    for (let n = 0; n < 20; n++) await sendActivity(source, acme.apiKey, `early-${n}`);
    await untilIdle(source, acme.id);
    const feed = await token('GET', '/events?limit=5');
    const { id } = lead.body.data;
    const etag = (await token('GET', `/leads/${id}`)).headers.get('etag');
    before = { cursor: feed.body.meta.next_cursor, etag, lead: id, invoice: billed.body, file, token };
  });

  test('moves without losing a write, and its neighbor notices nothing', async () => {
    const move = startCli(tenant('move', 'acme', '--plan', 'enterprise', '--no-json'));
    let ended = false;
    void move.ended.then(() => {
      ended = true;
    });
    const neighbor: number[] = [];
    const own = new Set<number>();
    const work = async (send: () => Promise<void>) => {
      while (!ended) await send();
    };
    let n = 0;
    await Promise.all([
      work(async () => {
        const name = `late-${n++}`;
        const answer = await before.token('POST', '/leads', { name, email: `${name}@acme.example` });
        own.add(answer.status);
        if (answer.status === 201) sent.add(`${name}@acme.example`);
      }),
      work(async () => {
        const answer = await sendActivity(source, source.stack.info.api_key, `neighbor-${n++}`);
        neighbor.push(answer.status);
      }),
    ]);
    const { code, stderr } = await move.ended;
    expect(code, stderr).toBe(0);
    expect([...own].filter((status) => ![201, 503, 421].includes(status))).toEqual([]);
    expect(sent.size).toBeGreaterThan(0);
    expect(new Set(neighbor)).toEqual(new Set([200]));

    const there =
      await destination.sql`select email from public.leads where tenant_id = ${acme.id} and email like 'late-%'`;
    expect(new Set(there.map((row) => row.email))).toEqual(sent);
    expect(await moveRow(source, 'acme')).toMatchObject({
      state: 'moved',
      direction: 'out',
      moved_to: destination.functionsUrl,
    });
    expect(await moveRow(destination, 'acme')).toMatchObject({ state: 'open', direction: 'in' });
    expect(move.stdout()).toContain('public.leads');
    const { output } = { output: move.stdout() + move.stderr() };
    expect(output).not.toContain(acme.apiKey);
  });

  test('its callers get the new URL from the old one, strangers do not', async () => {
    const told = { moved_to: destination.functionsUrl };
    const activity = await sendActivity(source, acme.apiKey, 'early-0');
    expect(activity.status).toBe(421);
    expect(activity.headers.get('link')).toBe(`<${destination.functionsUrl}>; rel="successor-version"`);
    expect(activity.headers.get('cache-control')).toBe('no-store');
    expect(await activity.json()).toMatchObject({ error: { code: 'TENANT_MOVED', ...told } });
    const problem = await pay(acme.apiKey, '/balance', undefined, { baseUrl: source.functionsUrl });
    expect(problem).toMatchObject({ status: 421, body: { code: 'tenant_moved', ...told } });
    expect(await before.token('GET', '/leads')).toMatchObject({
      status: 421,
      body: { error: { code: 'TENANT_MOVED', ...told } },
    });
    const grant = (secret: string) =>
      fetch(`${source.functionsUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: acme.clientId,
          client_secret: secret,
        }),
      });
    const granted = await grant(acme.clientSecret);
    expect(granted.status).toBe(421);
    expect(await granted.json()).toMatchObject({ error: 'tenant_moved', ...told });

    expect((await grant('wrong')).status).toBe(401);
    const wrong = await pay(acme.apiKey, '/balance', undefined, {
      baseUrl: source.functionsUrl,
      headers: {
        Authorization: `SVC-SIGN-V1 ${acme.apiKey}:${Math.floor(Date.now() / 1000)}:${'0'.repeat(64)}`,
      },
    });
    expect(wrong.status).toBe(401);
  });

  test('links redirect, and the source rejects writes', async () => {
    const link = await fetch(before.file, { redirect: 'manual' });
    expect(link.status).toBe(308);
    expect(link.headers.get('location')).toBe(
      before.file.replace(source.functionsUrl, destination.functionsUrl),
    );
    expect((await fetch(before.file)).status).toBe(200);
    const [, token] = /\/files\/(\w+)\//.exec(before.file) ?? [];
    const payLink = await fetch(`${source.functionsUrl}/payments/pay/${token}`, { redirect: 'manual' });
    expect([payLink.status, payLink.headers.get('location')]).toEqual([
      308,
      `${destination.functionsUrl}/payments/pay/${token}`,
    ]);
    await expect(
      source.sql`update public.leads set name = 'x' where tenant_id = ${acme.id}`,
    ).rejects.toMatchObject({ code: 'PL503' });
  });

  test('existing keys, cursors, ETags, numbers and Idempotency-Keys work at the destination', async () => {
    const records = await recordsOf(destination, acme);
    const duplicate = await sendActivity(destination, acme.apiKey, 'early-0');
    expect(await duplicate.json()).toMatchObject({ data: { duplicates: 1 } });
    const replayed = await pay(acme.apiKey, '/invoices', invoice({ payment_method: { type: 'boleto' } }), {
      baseUrl: destination.functionsUrl,
      key,
    });
    expect(replayed).toMatchObject({ status: 201, body: { id: before.invoice.id } });
    expect(replayed.headers.get('idempotent-replay')).toBe('true');
    const next = await pay(acme.apiKey, '/invoices', invoice(), { baseUrl: destination.functionsUrl });
    const numberOf = (body: { our_number: string }) => Number(body.our_number.slice(-6));
    expect(numberOf(next.body)).toBe(numberOf(before.invoice as never) + 1);
    const same = await records('GET', `/leads/${before.lead}`, undefined, {
      'If-None-Match': before.etag ?? '',
    });
    expect(same.status).toBe(304);

    expect(await records('POST', '/leads', { name: 'New', email: 'new@acme.example' })).toMatchObject({
      status: 201,
    });
    const wanted = new Set(['new@acme.example', ...sent]);
    const read = new Set<string>();
    for (let cursor = before.cursor, more = true; more; ) {
      const page = await records('GET', `/events?limit=500&after=${encodeURIComponent(cursor)}`);
      expect(page.status).toBe(200);
      for (const { type, data } of page.body.data) {
        if (type !== 'lead.created' || !wanted.has(data.email)) continue;
        expect(read.has(data.email), 'an event is there twice').toBe(false);
        read.add(data.email);
      }
      ({ next_cursor: cursor, has_more: more } = page.body.meta);
    }
    expect(read).toEqual(wanted);
  });

  test('each event reaches the receiver once', async () => {
    const created = async () =>
      (
        await destination.sql`select id from public.events where tenant_id = ${acme.id} and type = 'lead.created' and data ->> 'email' <> 'otto@acme.example'`
      ).map(({ id }) => id);
    await untilIdle(destination, acme.id);
    const wanted = await created();
    await waitFor(async () => (await receivedEvents(source)).length >= wanted.length);
    expect((await receivedEvents(source)).sort()).toEqual(wanted.sort());
  });

  test('accounts in Auth are copied, or linked if the address exists', async () => {
    const rows = await destination.sql`
      select u.email, a.encrypted_password, a.banned_until, (select count(*)::integer from auth.identities i where i.user_id = a.id) as identities,
             (select count(*)::integer from private.user_accounts o where o.auth_user_id = a.id) as users
      from public.users u join private.user_accounts t on t.tenant_id = u.tenant_id and t.user_id = u.id join auth.users a on a.id = t.auth_user_id
      where u.tenant_id = ${acme.id} order by 1`;
    expect(rows).toMatchObject([
      { email: email.known, identities: 1, users: 2 },
      {
        email: email.own,
        encrypted_password: `$2a$10$${email.own}`,
        banned_until: new Date('2030-01-01'),
        identities: 1,
        users: 1,
      },
    ]);
  });

  test('finishing empties the source, which still redirects callers, and the tenant can move back', async () => {
    expect(await runCli(tenant('finish', 'acme'))).toMatchObject({ code: 2 });
    expect(await runCli(tenant('finish', 'acme', '--confirm', 'acme'))).toMatchObject({ code: 0 });
    for (const table of ['leads', 'events', 'jobs', 'api_keys', 'players']) {
      expect(
        await source.sql`select from ${source.sql(table)} where tenant_id = ${acme.id}`,
        table,
      ).toHaveLength(0);
    }
    expect(await source.sql`select from storage.objects where name like ${`${acme.id}/%`}`).toHaveLength(0);
    expect((await sendActivity(source, acme.apiKey, 'early-0')).status).toBe(421);
    expect(await triggers(source)).toBe(0);
    await expect(
      source.sql`select admin.forget_move(move_id) from admin.tenant_moves where slug = 'acme'`,
    ).rejects.toMatchObject({ code: 'PL409' });

    const back = ['tenant', 'move', 'acme', '--from', destination.file, '--to', source.file];
    expect(await runCli([...back, '--plan', 'enterprise'])).toMatchObject({ code: 0 });
    const again = await sendActivity(source, acme.apiKey, 'early-0');
    expect(await again.json()).toMatchObject({ data: { duplicates: 1 } });
    expect((await sendActivity(destination, acme.apiKey, 'early-0')).status).toBe(421);
    // And once more undone, while both sides have the data.
    const rollback = ['tenant', 'rollback', 'acme', '--from', destination.file, '--to', source.file];
    expect((await sendActivity(source, acme.apiKey, 'after-return')).status).toBe(200);
    expect(await runCli(rollback)).toMatchObject({ code: 0 });
    expect(await (await sendActivity(destination, acme.apiKey, 'after-return')).json()).toMatchObject({
      data: { duplicates: 1 },
    });
    expect((await sendActivity(source, acme.apiKey, 'after-return')).status).toBe(421);
  });
});
