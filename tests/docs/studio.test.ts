// SQL for Studio runs: every snippet, and every SQL block of the gamification pages.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDemoGamification } from '../../scripts/demo/gamification.ts';
import { connectDatabase } from '../support/database.ts';
import { inTransaction } from '../support/gamification/gamification.ts';

const sql = connectDatabase();
const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const blocksOf = (page: string, language: string) =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block]) => block ?? '',
  );

const addAcme = (tx: postgres.TransactionSql) => tx`select admin.create_tenant('Acme', 'acme')`;

describe('supabase/snippets', () => {
  /** A tenant with the badges, tiers and challenges of `npm run demo`. */
  const furnished = `s-${crypto.randomUUID()}`;

  beforeAll(async () => {
    const [tenant] = await sql`select admin.create_tenant('Furnished', ${furnished}) as id`;
    await createDemoGamification(sql, tenant?.id);
  });

  test.each(readdirSync(`${root}/supabase/snippets`))(
    '%s runs unchanged, twice, and for a tenant with demo data',
    async (file) => {
      const text = read(`supabase/snippets/${file}`);
      await inTransaction(sql, async (tx) => {
        if (!text.includes('admin.create_tenant(')) await addAcme(tx);
        for (const _ of ['first', 'second']) await tx.unsafe(text);
      });
      await inTransaction(sql, async (tx) => {
        for (const _ of ['first', 'second']) await tx.unsafe(text.replaceAll(`'acme'`, `'${furnished}'`));
      });
    },
  );

  test.each(readdirSync(`${root}/supabase/snippets`))(
    '%s has a comment above each statement, and none inside a statement',
    (file) => {
      const text = read(`supabase/snippets/${file}`);
      expect(text).not.toMatch(/^--\s*(select|insert|update|delete|alter|with)\b/im);
      const statements = text.split(/;\s*$/m).map((part) => part.trim());
      expect(statements.pop()).toBe('');
      for (const statement of statements) expect(statement).toMatch(/^--/);
    },
  );

  test('what removes something is by itself in its snippet, so that it never runs with a list', () => {
    const removes =
      /admin\.(drop_login|disconnect_provider|disconnect_crm|forget_crm|deactivate_webhook|erase_person)\(|confirm_slug/;
    const mixed = readdirSync(`${root}/supabase/snippets`).filter((file) => {
      const text = read(`supabase/snippets/${file}`);
      return removes.test(text) && text.split(/;\s*$/m).length > 2;
    });
    expect(mixed).toEqual([]);
  });

  test('the gamification snippets do what their comments say', async () => {
    const texts = ['points-rules-tiers', 'badges', 'challenges', 'automations'].map((name) =>
      read(`supabase/snippets/${name}.sql`),
    );
    await inTransaction(sql, async (tx) => {
      await addAcme(tx);
      for (const text of texts) await tx.unsafe(text);
      const [row] = await tx`
        select (select count(*) from admin.point_rules where tenant_id = t.id)::integer as rules,
               (select count(*) from admin.tiers       where tenant_id = t.id)::integer as tiers,
               (select count(*) from admin.badges      where tenant_id = t.id)::integer as badges,
               (select count(*) from admin.challenges  where tenant_id = t.id)::integer as challenges,
               (select count(*) from admin.automations where tenant_id = t.id)::integer as automations
        from tenants t where slug = 'acme'`;
      expect(row).toEqual({ rules: 4, tiers: 3, badges: 1, challenges: 1, automations: 1 });
    });
  });
});

test('the SQL in docs/payment-providers.md runs', async () => {
  const blocks = blocksOf('docs/payment-providers.md', 'sql');
  expect(blocks.length).toBeGreaterThan(0);
  await inTransaction(sql, async (tx) => {
    await addAcme(tx);
    for (const block of blocks) await tx.unsafe(block);
  });
});

describe('the gamification pages', () => {
  const pages = { 'points.md': 8, 'badges-and-challenges.md': 4, 'automations.md': 4 };

  test.each(Object.entries(pages))(
    'the SQL in docs/%s runs for the demo tenant and has an effect',
    async (page, least) => {
      let answered = 0;
      await inTransaction(sql, async (tx) => {
        for (const block of blocksOf(`docs/${page}`, 'sql')) {
          // Statements end at the end of a line.
          for (const statement of block.split(/;$/m).filter((text) => text.trim() !== '')) {
            const rows = await tx.unsafe(statement);
            if (rows.length > 0) answered++;
          }
        }
      });
      expect(answered).toBeGreaterThanOrEqual(least);
    },
  );

  test('the three example payloads have the members of real events', async () => {
    const documented = blocksOf('docs/badges-and-challenges.md', 'json').map((block) => JSON.parse(block));
    const members = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, members(inner)]))
        : typeof value;
    await inTransaction(sql, async (tx) => {
      const [tenant] = await tx`select id from tenants where slug = 'demo'`;
      await tx`select app.recount(${tenant?.id})`;
      await tx`select admin.create_badge(${tenant?.id}, 'Deal', 'deals_created', 1)`;
      await tx`select admin.create_challenge(${tenant?.id}, 'Deal', 'deals_created', 1, '2026-01-01', '2099-01-01', 5)`;
      // A newcomer above everyone moves the others.
      const [stage] = await tx`select id from pipeline_stages where tenant_id = ${tenant?.id} limit 1`;
      await tx`select admin.set_point_rule(${tenant?.id}, 'deal.won', 1000000)`;
      await tx`
        insert into users (tenant_id, name, email) values (${tenant?.id}, 'First', 'first@demo.example')`;
      await tx`select app.recount(${tenant?.id})`;
      await tx`
        insert into deals (tenant_id, name, value, stage_id, status, owner_id)
        select tenant_id, 'Deal', 1, ${stage?.id}, 'won', id from users
        where tenant_id = ${tenant?.id} and email = 'first@demo.example'`;
      await tx`select app.recount(${tenant?.id})`;
      const rows = await tx`
        select distinct on (type) type, data from events
        where tenant_id = ${tenant?.id} and type in ('badge.earned', 'challenge.completed', 'ranking.changed')
        order by type, id desc`;
      expect(rows.map(({ data }) => members(data))).toHaveLength(3);
      for (const [i, { data }] of rows.entries()) {
        const shown = data.changes ? { changes: data.changes.slice(0, 1) } : data;
        expect(members(shown)).toEqual(members(documented[i]));
      }
    });
  });
});
