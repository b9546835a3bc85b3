// The runbook matches the code: it contains each log line and each secret, and its SQL runs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type SettingGroup, settingNames, settings } from '../../shared/platform/env.ts';
import { connectDatabase } from '../support/database.ts';
import { inTransaction } from '../support/gamification/gamification.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Deployed sources, except the logger itself. */
const sources = ['functions', 'shared'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith('.ts') && path !== 'shared/platform/logger.ts'),
);

describe('docs/operations/logs.md', () => {
  test('lists exactly the lines that the code writes, with their levels', () => {
    const written = sources.flatMap((path) =>
      Array.from(
        read(path).matchAll(/(?<!console)\.(debug|info|warn|error)\(\s*'((?:[^'\\]|\\.)+)'/g),
        ([, level, message]) => `${level} ${message}`,
      ),
    );
    const documented = Array.from(
      read('docs/operations/logs.md').matchAll(/^\| (debug|info|warn|error) \| `([^`]+)` \|/gm),
      ([, level, message]) => `${level} ${message}`,
    );
    expect(documented.toSorted()).toEqual([...new Set(written)].toSorted());
  });

  test('no line is built from parts, because the list could not contain it', () => {
    const made = sources.flatMap((path) =>
      Array.from(
        read(path).matchAll(/\b(?:log|lines|logger)\.(?:debug|info|warn|error)\(\s*[^\s'].*/g),
        ([match]) => `${path}: ${match}`,
      ),
    );
    expect(made).toEqual([]);
  });
});

test('docs/operations/secrets.md explains how to rotate each secret setting', () => {
  const page = read('docs/operations/secrets.md');
  const secrets = settingNames(...(Object.keys(settings) as SettingGroup[])).filter(
    (name) => /TOKEN|KEY|SECRET|DB_URL|DATABASE_URL/.test(name) && !/PUBLIC/.test(name),
  );
  expect(secrets.length).toBeGreaterThan(10);
  expect(secrets.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe('SQL of the runbook', () => {
  const sql = connectDatabase();
  const blocks = readdirSync(join(root, 'docs/operations')).flatMap((page) =>
    Array.from(
      read(`docs/operations/${page}`).matchAll(/^```sql\n([\s\S]*?)^```/gm),
      ([, block = ''], index) => [`${page}, ${index + 1}`, block] as const,
    ),
  );

  test.each(blocks)('%s runs unchanged', async (_, block) => {
    await inTransaction(sql, async (tx) => {
      for (const statement of block.split(/;$/m).filter((text) => text.trim() !== ''))
        await tx.unsafe(statement);
    });
  });

  test('finds a payout that was ordered twice', async () => {
    const [, pairs = ''] = blocks.find(([, block]) => block.includes('again')) ?? [];
    await inTransaction(sql, async (tx) => {
      const beneficiary = { name: 'Davi Reis', pix_key: 'davi@demo.example' };
      for (const number of [1, 2]) {
        await tx`
          insert into payouts (tenant_id, amount, currency, region, purpose, status, beneficiary, our_number, provider, created)
          select id, 777, 'BRL', 'br', 'prize', 'processing', ${tx.json(beneficiary)}, ${`PAY-TEST-${number}`}, 'sandbox',
                 now() - interval '1 hour' + ${number} * interval '1 minute'
          from tenants where slug = 'demo'`;
      }
      const rows = await tx.unsafe(pairs);
      // The examples of other pages pay the demo tenant's people, too.
      const own = rows.filter((row) => row.amount === '777');
      expect(own).toMatchObject([{ our_number: 'PAY-TEST-1', again: 'PAY-TEST-2', amount: '777' }]);
    });
  });
});
