// The rules for migrations that are applied while the previous version serves requests: docs/operations/migrations.md.
import { Catalog } from './catalog.ts';
import { expandContract } from './rules/contract.ts';
import { concurrentIndex, lockTimeout } from './rules/locks.ts';
import { grants } from './rules/new-tables.ts';
import { noBackfill } from './rules/rows.ts';
import type { Rule } from './rules/rule.ts';
import { noRewrite, notValid } from './rules/tables.ts';
import { type Migration, type RuleName, readMigration, ruleNames, type SqlFile } from './statements.ts';

/** Files up to this version were written before the first release. */
export const BASELINE = '20261127011800';

const rules: Record<RuleName, Rule> = {
  'lock-timeout': lockTimeout,
  'concurrent-index': concurrentIndex,
  'not-valid': notValid,
  'no-rewrite': noRewrite,
  'expand-contract': expandContract,
  'no-backfill': noBackfill,
  grants,
};

export interface Violation {
  file: string;
  line: number;
  rule: RuleName | 'comment';
  message: string;
}

/**
 * Checks files in their order.
 *
 * @param earlier the migrations that are applied before them
 * @throws MigrationSyntaxError for SQL that Postgres cannot parse
 */
export function findViolations(files: readonly SqlFile[], earlier: readonly SqlFile[]): Violation[] {
  const catalog = new Catalog();
  for (const file of earlier) {
    const { name, statements } = readMigration(file);
    for (const statement of statements) catalog.add(statement, name);
  }
  return files.flatMap((file) => check(readMigration(file), catalog));
}

function check(migration: Migration, catalog: Catalog): Violation[] {
  const { name, statements } = migration;
  return statements.flatMap((statement) => {
    const { line, malformed, allowed } = statement;
    const found: Violation[] = malformed.map((message) => ({ file: name, line, rule: 'comment', message }));
    for (const rule of ruleNames) {
      if (allowed.has(rule)) continue;
      for (const message of rules[rule](statement, { migration, catalog }))
        found.push({ file: name, line, rule, message });
    }
    catalog.add(statement, name);
    return found;
  });
}
