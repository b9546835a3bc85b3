// Connecting an account: invalid keys are rejected with the expected format, and the key appears nowhere else.
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { inTransaction, refusal } from '../../support/gamification/gamification.ts';
import { readLogs } from '../../support/logs.ts';
import { connectAsaas, connectStripe, untilAccountIs } from '../../support/payments/accounts-at-fakes.ts';
import { createPayTenant } from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });

/** Parts of the key that no other text contains. */
const mark = crypto.randomUUID().replaceAll('-', '');
const ASAAS = `$aact_hmlg_${mark}a`;
const STRIPE = `sk_test_${mark}s`;
const WISE = `wise${mark}`;

describe('an invalid call is rejected with the argument, the rule and the allowed values', () => {
  const asaas = (settings: string) => `admin.connect_asaas($1, '${ASAAS}', '${settings}')`;
  const wise = (settings: string) => `admin.connect_wise($1, '${WISE}', '${settings}')`;
  test.each([
    [`admin.connect_asaas('nobody', '${ASAAS}')`, 'tenant: tenant "nobody" does not exist; allowed: '],
    [`admin.connect_asaas(null, '${ASAAS}')`, 'tenant: is required'],
    [
      "admin.connect_asaas($1, '$aact_prod_0123456789')",
      'api_key: is a live key. Staging accepts only test keys',
    ],
    [
      "admin.connect_asaas($1, 'sk_test_0123456789')",
      'api_key: is not a valid key of this provider; allowed: a key that begins with $aact_hmlg_',
    ],
    ['admin.connect_asaas($1, null)', 'api_key: is not a valid key of this provider'],
    ["admin.connect_asaas($1, '')", 'api_key: is not a valid key of this provider'],
    [
      "admin.connect_stripe($1, 'sk_live_0123456789')",
      'api_key: is a live key. Staging accepts only test keys',
    ],
    ["admin.connect_stripe($1, 'rk_live_0123456789')", 'api_key: is a live key'],
    ["admin.connect_stripe($1, 'pk_test_0123456789')", 'a key that begins with sk_test_ or rk_test_'],
    [asaas('{"service": 1}'), 'settings: "service" is not a known setting; allowed: municipal_service_code'],
    [asaas('[]'), 'settings: must be a JSON object'],
    [asaas('{"municipal_service_code": 1}'), 'settings.municipal_service_code: must be a non-empty string'],
    [asaas('{"services": {"x": {}}}'), 'settings.services.x: must have "code" or "id"'],
    [asaas('{"services": []}'), 'settings.services: must be an object'],
    [
      asaas('{"taxes": {"vat": 1}}'),
      'settings.taxes: "vat" is not a known setting; allowed: retainIss, iss, pis',
    ],
    [asaas('{"taxes": {"iss": 101}}'), 'settings.taxes.iss: must be a percentage from 0 to 100'],
    [asaas('{"taxes": {"retainIss": 1}}'), 'settings.taxes.retainIss: must be true or false'],
    [asaas('{"deductions": -1}'), 'settings.deductions: must be an amount in reais, at least 0'],
    [
      `admin.connect_asaas($1, '${ASAAS}', '{}', 'short')`,
      'withdrawal_token: must have 32 to 255 characters',
    ],
    [wise('{}'), 'settings.profile_id: must be the numeric id of a Wise profile'],
    [wise('{"profile_id": "abc", "source_currency": "EUR"}'), 'settings.profile_id: must be the numeric id'],
    [wise('{"profile_id": 1, "source_currency": "euro"}'), 'settings.source_currency: must be the currency'],
    [
      'admin.connect_wise($1, \'x y\', \'{"profile_id": 1, "source_currency": "EUR"}\')',
      'token: is not a valid Wise API token',
    ],
    ["admin.disconnect_provider('pacc_nobody')", 'id: account pacc_nobody does not exist'],
    ['admin.reconcile_provider(null)', 'id: is required'],
    ["admin.new_withdrawal_token('pacc_nobody')", 'id: account pacc_nobody does not exist'],
  ])('%s', async (call, words) => {
    const { id } = await createPayTenant(sql);
    const named = call.replace('$1', `'${id}'`);
    await inTransaction(sql, async (tx) => {
      const refused = await refusal(tx, (sp) => sp.unsafe(`select ${named}`));
      expect(refused).toContain(words);
      expect(refused).not.toContain(mark);
    });
  });

  test('a key of another tenant, without naming the tenant', async () => {
    const [one, other] = [await createPayTenant(sql), await createPayTenant(sql)];
    const key = `sk_test_${crypto.randomUUID()}`;
    await connectStripe(sql, one.id, key);
    const refused = connectStripe(sql, other.id, key).catch((error: Error) => error.message);
    expect(await refused).toBe('key: is already used by another account. Each account needs its own key.');
    expect(await sql`select 1 from provider_accounts where tenant_id = ${other.id}`).toEqual([]);
    // It may connect its own account again.
    expect(await connectStripe(sql, one.id, key)).toMatch(/^pacc_/);
  });

  test('test keys in production', async () => {
    const { id } = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      await tx`select admin.set_environment('production')`;
      for (const call of [`connect_asaas('${id}', '${ASAAS}')`, `connect_stripe('${id}', '${STRIPE}')`])
        expect(await refusal(tx, (sp) => sp.unsafe(`select admin.${call}`))).toContain(
          'api_key: is a test key. Production accepts only live keys',
        );
    });
  });

  test('if Postgres does not allow silencing its log, the result says so and nothing is raised', async () => {
    const { id } = await createPayTenant(sql);
    await inTransaction(sql, async (tx) => {
      await tx`create or replace function private.keep_errors_out_of_log() returns boolean language sql as 'select false'`;
      const [row] = await tx`select admin.connect_stripe(${id}, 'pk_test_0123456789') as said`;
      expect(row?.said).toMatch(/^Not connected\. api_key: is not a valid key of this provider/);
      const [token] = await tx`select admin.connect_asaas(${id}, ${ASAAS}, '{}', 'short') as said`;
      expect(token?.said).toMatch(/^Not connected\. withdrawal_token: /);
      expect(await tx`select 1 from provider_accounts where tenant_id = ${id}`).toEqual([]);
    });
  });
});

test('a key is in no table, event, email or log, whether it was accepted or rejected', async () => {
  const tenant = await createPayTenant(sql);
  await sql`update tenants set owner_email = 'owner@example.com' where id = ${tenant.id}`;
  // As pasted into Studio: the key is part of the statement.
  const paste = (call: string) => sql.unsafe(`select admin.${call} as id`).catch((error: Error) => error);
  const [taken] = (await paste(`connect_asaas('${tenant.id}', '${ASAAS}')`)) as postgres.Row[];
  const account: string = taken?.id;
  for (const call of [
    `connect_asaas('nobody', '${ASAAS}')`,
    `connect_asaas('${tenant.id}', '${ASAAS}', '{"x": 1}')`,
    `connect_stripe('${tenant.id}', '${STRIPE.replace('test', 'live')}')`,
    `connect_stripe('nobody', '${STRIPE}')`,
    `connect_wise('${tenant.id}', '${WISE}', '{}')`,
  ]) {
    const refused = await paste(call);
    expect(refused).toBeInstanceOf(Error);
    expect(`${(refused as Error).message} ${(refused as Error).stack}`).not.toContain(mark);
  }
  // An unknown key: the provider rejects it, and the rejection is recorded in many places.
  await untilAccountIs(sql, account, ({ status }) => status === 'failing');
  const reply = await pay(tenant.apiKey, '/invoices', invoice());
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([502, expect.not.stringContaining(mark)]);
  await connectAsaas(sql, tenant.id, ASAAS);

  const tables = await sql`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'private', 'admin') and c.relkind in ('r', 'p', 'v', 'm')`;
  expect(tables.length).toBeGreaterThan(50);
  for (const { name } of tables) {
    const found = await sql.unsafe(`select 1 from ${name} t where t::text like '%${mark}%' limit 1`);
    expect([name, found.length]).toEqual([name, 0]);
  }
  // The log contains the statements that Postgres should log, so the absence of others is meaningful.
  await sql.unsafe(`select 'control ${mark}'::integer`).catch(() => {});
  await waitFor(() => readLogs().includes(`control ${mark}`));
  const written = readLogs();
  for (const key of [ASAAS, STRIPE, STRIPE.replace('test', 'live'), WISE]) expect(written).not.toContain(key);
});

test('orders read keys only of their tenant, and jobs of any tenant', async () => {
  const [own, other] = [await createPayTenant(sql), await createPayTenant(sql)];
  const key = `sk_test_${crypto.randomUUID()}`;
  const account = await connectStripe(sql, own.id, key);
  const read = (tx: postgres.TransactionSql) => tx`select app.provider_account(${account}) ->> 'key' as key`;
  const as = async (role: string, tenant: string | null) => {
    let keyOf: unknown = 'not read';
    await inTransaction(sql, async (tx) => {
      keyOf = await refusal(tx, async (sp) => {
        await sp`select set_config('app.tenant_id', ${tenant ?? ''}, true)`;
        await sp.unsafe(`set local role ${role}`);
        const [row] = await read(sp);
        throw new Error(String(row?.key));
      });
    });
    return keyOf;
  };
  expect(await as('payments', own.id)).toBe(key);
  expect(await as('worker', own.id)).toBe(key);
  expect(await as('worker', null)).toBe(key);
  expect(await as('payments', other.id)).toBe('null');
  expect(await as('worker', other.id)).toBe('null');
  expect(await as('payments', null)).toBe('null');
  for (const role of ['api', 'anon', 'authenticated'])
    expect([role, await as(role, own.id)]).toEqual([role, expect.stringContaining('permission denied')]);
  for (const role of ['api', 'payments', 'worker', 'anon', 'authenticated'])
    for (const table of ['vault.decrypted_secrets', 'private.provider_secrets'])
      await inTransaction(sql, async (tx) => {
        await tx.unsafe(`set local role ${role}`);
        expect([role, table, await refusal(tx, (sp) => sp.unsafe(`select 1 from ${table}`))]).toEqual([
          role,
          table,
          expect.stringContaining('permission denied'),
        ]);
      });
});
