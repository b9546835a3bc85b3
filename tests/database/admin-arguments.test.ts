// Errors of admin functions name the argument and the allowed values. Rotated credentials work on both sides.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../support/database.ts';
import { inTransaction, refusal } from '../support/gamification/gamification.ts';
import { sync } from '../support/gamification/sync.ts';

const sql = connectDatabase();

describe('an error names the invalid argument and the allowed values', () => {
  test.each([
    ["admin.set_environment('prod')", 'environment: "prod" is unknown; allowed: staging, production'],
    ["admin.create_tenant(' ', 'x')", 'name: is required'],
    ["admin.create_tenant('A', 'No Slug')", 'slug: "No Slug" is not a valid slug; allowed: a-z and 0-9'],
    ["admin.create_tenant('A', 'demo')", 'slug: "demo" is already used by another tenant'],
    [
      "admin.create_tenant('A', 'aa', 'starter', 'Sao Paulo')",
      'time_zone: "Sao Paulo" is not an IANA time zone; allowed: America/Sao_Paulo',
    ],
    [
      "admin.create_api_key($1, 'k', '{payments}')",
      'scopes: "payments" is unknown; allowed: default:sync, payments:read, payments:write',
    ],
    ["admin.create_api_key($1, 'k', '{}')", 'scopes: at least one is required; allowed: default:sync'],
    ["admin.create_api_key($1, '', '{default:sync}')", 'label: is required'],
    [
      "admin.create_api_key($1, 'k', '{default:sync}', 0)",
      'requests_per_hour: 0 is out of range; allowed: 1 or more',
    ],
    [
      "admin.create_oauth_client($1, 'c', '{read:lead}')",
      'scopes: "read:lead" is unknown; allowed: read:leads, write:leads',
    ],
    ["admin.create_oauth_client($1, 'c', '{admin}', 'd')", 'variant: "d" is unknown; allowed: a, b, c'],
    ["admin.create_oauth_client($1, 'c', '{admin}', 'a', gen_random_uuid())", 'user_id: user '],
    ["admin.create_oauth_client(gen_random_uuid(), 'c', '{admin}')", 'tenant_id: tenant '],
    ["admin.set_plan(null, 'starter')", 'tenant_id: is required; allowed: '],
    ["admin.create_mission($1, 'm', -1)", 'points: -1 is out of range; allowed: 0 or more'],
    ["admin.create_mission($1, 'm', null)", 'points: is required'],
    [
      "admin.map_activity_code($1, '1', null)",
      'code: "1" is not a valid activity code; allowed: three digits, 001 to 999',
    ],
    [
      "admin.map_activity_code($1, '001', (select id from missions where tenant_id <> $1 limit 1))",
      'mission_id: mission ',
    ],
    ["admin.unmap_activity_code($1, '000')", 'code: "000" is not a valid activity code'],
    ["admin.create_stage($1, 's', 1, 101)", 'probability: 101 is out of range; allowed: 0 to 100'],
    [
      "admin.set_point_rule($1, 'deal.lost', 1)",
      'event: "deal.lost" is unknown; allowed: deal.stage_changed, deal.won',
    ],
    ["admin.set_point_rule($1, 'deal.stage_changed', 1, gen_random_uuid())", 'stage_id: stage '],
    [
      "admin.set_point_rule($1, 'deal.won', 1, gen_random_uuid())",
      'stage_id: is not allowed with the event deal.won; allowed: null, a stage with deal.stage_changed',
    ],
    [
      "admin.set_point_rule($1, 'deal.won', 1, null, 0)",
      'max_per_day: 0 is out of range; allowed: 1 or more',
    ],
    [
      "admin.set_ranking_opt_out($1, 'nobody@example.com')",
      'email: no user or collaborator of the tenant has',
    ],
    ["admin.set_ranking_opt_out($1, ' ')", 'email: is required'],
    ["admin.set_ranking_opt_out(gen_random_uuid(), 'a@b.co')", 'tenant_id: tenant '],
    ["admin.create_season($1, ' ', now(), now())", 'name: is required'],
    [
      "admin.create_season($1, 's', '2026-13-01', '2026-09-01')",
      'starts_at: "2026-13-01" is not a date or time; allowed: 2026-06-01, which means midnight',
    ],
    ["admin.create_season($1, 's', '2026-06-01', null)", 'ends_at: is required'],
    ["admin.create_season($1, 's', null, now())", 'starts_at: is required'],
    ["admin.create_season($1, 's', now(), null)", 'ends_at: is required'],
    ["admin.create_season($1, 's', now(), 'infinity')", 'ends_at: must be a finite time'],
    ["admin.create_season($1, 's', now(), now())", 'ends_at: must be later than starts_at'],
    ["admin.create_season(gen_random_uuid(), 's', now(), now() + interval '1 day')", 'tenant_id: tenant '],
    ["admin.create_tier($1, 't', -1)", 'min_points: -1 is out of range'],
    ["admin.create_badge($1, 'b', 'points', 0)", 'threshold: must be more than 0'],
    ["admin.create_challenge($1, 'c', 'points', 1, now(), now())", 'ends_at: must be later than starts_at'],
    [
      "admin.create_badge($1, 'b', 'calls', 1)",
      'metric: "calls" is unknown; allowed: points, missions_completed',
    ],
    [
      "admin.create_automation($1, 'a', 'deal.gone', '[]', '[]')",
      'event: "deal.gone" is unknown; allowed: deal.created',
    ],
    [
      "admin.create_payment_webhook($1, 'https://example.com', '{deal.won}')",
      'events: unknown: deal.won; allowed: invoice.paid',
    ],
    ["admin.register_cost_center($1, ' ', 'x')", 'code: is required'],
    [
      "admin.register_cost_center($1, repeat('x', 65), 'x')",
      'code: is too long; allowed: 1 to 64 characters',
    ],
    ["admin.adjust_balance($1, 1, 'BRL', ' ')", 'reason: is required'],
    ["admin.adjust_balance($1, 0, 'BRL', 'x')", 'amount: must be a number other than 0'],
    [
      "admin.adjust_balance($1, 1, 'real', 'x')",
      'currency: "real" is not a valid currency; allowed: a code of three capital letters',
    ],
    ["admin.set_allowlist(gen_random_uuid(), '{}')", 'api_key_id: API key '],
    ['admin.set_allowlist(gen_random_uuid(), null)', 'allowlist: is required; allowed: '],
  ])('%s', async (call, message) => {
    const { id } = await createTenant(sql);
    await inTransaction(sql, async (tx) => {
      // With $1 in every call, so that the parameter always exists.
      const said = await refusal(tx, (sp) =>
        sp.unsafe(`select ${call} from (select $1::uuid) as always`, [id]),
      );
      expect(said).toContain(message);
      expect(said.startsWith(message.slice(0, message.indexOf(':')))).toBe(true);
    });
  });

  test.each(["admin.create_tenant('A', 'aa', 'gold')", "admin.set_plan($1, 'gold')"])('%s', async (call) => {
    const { id } = await createTenant(sql);
    await inTransaction(sql, async (tx) => {
      // Tenants of other tests come last, because the list is limited.
      await tx`update plans set requests_per_minute = 1000000 where name not in ('starter', 'professional', 'enterprise')`;
      const said = await refusal(tx, (sp) =>
        sp.unsafe(`select ${call} from (select $1::uuid) as always`, [id]),
      );
      expect(said).toContain('plan: "gold" is unknown; allowed: starter, professional, enterprise');
    });
  });

  test('every function with a tenant argument rejects an unknown tenant and lists the existing ones', async () => {
    const functions = await sql<{ name: string; call: string }[]>`
      select p.proname as name,
             format('admin.%I(%s)', p.proname, string_agg(
               format('%I => %s', a.name, case a.name when 'tenant_id' then 'gen_random_uuid()'
                                          else 'null::' || format_type(p.proargtypes[a.nth - 1], null) end), ', ')) as call
      from pg_proc p, unnest(p.proargnames[1:p.pronargs - p.pronargdefaults]) with ordinality as a (name, nth)
      where p.pronamespace = 'admin'::regnamespace and 'tenant_id' = any (p.proargnames[1:p.pronargs])
      group by p.oid`;
    expect(functions.length).toBeGreaterThan(15);
    await inTransaction(sql, async (tx) => {
      for (const { name, call } of functions) {
        const said = await refusal(tx, (sp) => sp.unsafe(`select ${call}`));
        const expected = expect.stringMatching(/^tenant_id: tenant \S+ does not exist; allowed: \S/);
        expect([name, said]).toEqual([name, expected]);
      }
    });
  });

  test('at most twenty allowed values are listed', async () => {
    const wrong = sql`select admin.create_tenant('A', 'aa', 'starter', 'Mars/Olympus')`;
    await expect(wrong).rejects.toThrow(/; allowed: (\S+, ){19}\S+ and \d+ more$/);
  });
});

describe('API keys', () => {
  const answers = async (key: string) =>
    (await sync(key, { action: 'sync_collaborators', collaborators: [] })).status;

  test('rotating creates a key with the same rights, and the old one expires in a day', async () => {
    const tenant = await createTenant(sql);
    const old = await createApiKey(sql, tenant.id, {
      ipAllowlist: ['127.0.0.0/8', '::1/128'],
      requestsPerHour: 77,
      expiresAt: new Date(Date.now() + 90 * 86_400_000),
    });
    const [fresh] = await sql`select * from admin.rotate_api_key(id => ${old.id})`;
    expect(fresh).toEqual({ id: expect.any(String), api_key: expect.stringMatching(/^sk_test_/) });
    const rows = await sql`
      select id, label, scopes, requests_per_hour, ip_allowlist::text[] as allowlist,
             round(extract(epoch from expires_at - now()) / 3600)::integer as hours
      from admin.api_keys where id in (${old.id}, ${fresh?.id}) order by created_at`;
    const same = {
      label: 'test',
      scopes: ['default:sync'],
      requests_per_hour: 77,
      allowlist: ['127.0.0.0/8', '::1/128'],
    };
    expect(rows).toEqual([
      { id: old.id, ...same, hours: 24 },
      { id: fresh?.id, ...same, hours: 90 * 24 },
    ]);
    await sql`select admin.set_allowlist(${fresh?.id}, '{}')`;
    await sql`select admin.set_allowlist(${old.id}, '{}')`;
    // One rotation at a time, whichever of the two keys is rotated.
    for (const id of [old.id, fresh?.id])
      await expect(sql`select admin.rotate_api_key(${id})`).rejects.toThrow(/^id: .* is being rotated/);
    expect([await answers(old.apiKey), await answers(fresh?.api_key)]).toEqual([200, 200]);
    await sql`update api_keys set expires_at = now() where id = ${old.id}`;
    expect([await answers(old.apiKey), await answers(fresh?.api_key)]).toEqual([401, 200]);
    await expect(sql`select admin.rotate_api_key(${old.id})`).rejects.toThrow(/^id: .* is already expired/);
    await sql`select admin.revoke_api_key(${fresh?.id})`;
    await expect(sql`select admin.rotate_api_key(${fresh?.id})`).rejects.toThrow(
      /^id: .* is already revoked/,
    );
  });

  test('an allowlist applies from the next request', async () => {
    const { apiKey, apiKeyId } = await createTenant(sql);
    expect(await answers(apiKey)).toBe(200);
    await sql`select admin.set_allowlist(${apiKeyId}, '{203.0.113.0/24}')`;
    expect(await answers(apiKey)).toBe(401);
    await sql`select admin.set_allowlist(${apiKeyId}, '{}')`;
    expect(await answers(apiKey)).toBe(200);
  });
});

test('a changed plan applies immediately', async () => {
  const { id } = await createTenant(sql);
  await sql`select admin.set_plan(tenant_id => ${id}, plan => 'professional')`;
  expect(await sql`select plan, requests_per_minute, max_users from admin.tenants where id = ${id}`).toEqual([
    { plan: 'professional', requests_per_minute: 500, max_users: 50 },
  ]);
});
