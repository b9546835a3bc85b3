// Reads a migration with Postgres' own parser: its statements, their lines, and the comments above them that exempt them from rules.
import { loadModule, type Node, type ParseResult, parseSync } from 'libpg-query';
import { fragmentsOf } from './do-blocks.ts';

await loadModule();

export interface SqlFile {
  /** File name, such as `20261127011700_platform_monitoring.sql`. */
  name: string;
  sql: string;
}

export interface Statement {
  node: Node;
  /** Line in the file, from 1. */
  line: number;
  /** Rules from which `-- allow: <rule>: <why>` above the statement exempts it. */
  allowed: ReadonlySet<string>;
  /** What is wrong with the comments above the statement. */
  malformed: string[];
  /** Whether it runs repeatedly, in a loop of a `do` block. */
  inLoop: boolean;
}

export interface Migration {
  name: string;
  /** The leading number of the name; undefined if there is none. */
  version: string | undefined;
  statements: Statement[];
}

export const ruleNames = [
  'lock-timeout',
  'concurrent-index',
  'not-valid',
  'no-rewrite',
  'expand-contract',
  'no-backfill',
  'grants',
] as const;
export type RuleName = (typeof ruleNames)[number];

/** Thrown for SQL that Postgres cannot parse. */
class MigrationSyntaxError extends Error {
  override readonly name = 'MigrationSyntaxError';
}

export const versionOf = (name: string): string | undefined => /^(\d{14})_/.exec(name)?.[1];

/** Reads a file. Throws a {@link MigrationSyntaxError} with file and line. */
export function readMigration({ name, sql }: SqlFile): Migration {
  return { name, version: versionOf(name), statements: readStatements(name, sql) };
}

function readStatements(name: string, sql: string): Statement[] {
  // The parser refuses an empty text.
  if (sql.trim() === '') return [];
  // The parser counts bytes.
  const bytes = Buffer.from(sql);
  const lineAt = (offset: number) => bytes.subarray(0, offset).toString().split('\n').length;
  let parsed: ParseResult;
  try {
    parsed = parseSync(sql);
  } catch (error) {
    throw new MigrationSyntaxError(`${name}:${lineOfError(error, sql)}: ${messageOf(error)}`);
  }
  return (parsed.stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    if (stmt === undefined) return [];
    const text = bytes.subarray(start, length === undefined ? undefined : start + length).toString();
    const above = /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0] ?? '';
    const statement: Statement = {
      node: stmt,
      line: lineAt(start) + above.split('\n').length - 1,
      inLoop: false,
      ...commentsOf(above),
    };
    return [statement, ...insideDo(statement, lineAt)];
  });
}

/** Statements in the body of a `do` block. They inherit what is allowed above the block. */
function insideDo({ node, allowed }: Statement, lineAt: (offset: number) => number): Statement[] {
  if (!('DoStmt' in node)) return [];
  return (node.DoStmt.args ?? []).flatMap((argument) => {
    if (!('DefElem' in argument) || argument.DefElem.defname !== 'as') return [];
    const { arg, location = 0 } = argument.DefElem;
    if (!arg || !('String' in arg)) return [];
    const firstLine = lineAt(location);
    return fragmentsOf(arg.String.sval ?? '').flatMap(({ sql, above, line, inLoop }) => {
      const comments = commentsOf(above);
      return parseFragment(sql).map((inner) => ({
        node: inner,
        line: firstLine + line,
        inLoop,
        malformed: comments.malformed,
        allowed: new Set([...allowed, ...comments.allowed]),
      }));
    });
  });
}

/** PL/pgSQL adds `into` to statements that return rows. */
function parseFragment(sql: string): Node[] {
  for (const text of [sql, sql.replace(/\breturning\b[\s\S]*$/i, '')]) {
    try {
      return (parseSync(text) as ParseResult).stmts?.flatMap(({ stmt }) => stmt ?? []) ?? [];
    } catch {}
  }
  // A node that no rule knows by type: the rule `expand-contract` reports it.
  return [{ DoStmt: {} }];
}

const VERSION = /^v?\d+\.\d+\.\d+$/;

/** Reads `-- allow: <rule>: <why>` and `-- contracts: <version>`. */
function commentsOf(above: string): Pick<Statement, 'allowed' | 'malformed'> {
  const allowed = new Set<string>();
  const malformed: string[] = [];
  for (const [, word, rest = ''] of above.matchAll(/^\s*--\s*(allow|contracts):[ \t]*(.*)$/gm)) {
    const [, rule = '', why = ''] = /^([\w-]+):\s*(.*)$/.exec(rest) ?? [];
    const isRule = ruleNames.some((name) => name === rule);
    if (word === 'contracts') {
      if (VERSION.test(rest.trim())) allowed.add('expand-contract');
      else malformed.push(`"-- contracts: ${rest}" does not name a version. Write: -- contracts: 0.2.0`);
    } else if (isRule && why.trim() !== '') allowed.add(rule);
    else
      malformed.push(
        `"-- allow: ${rest}" does not name a rule and a reason. Write: -- allow: <rule>: <why>, with one of ${ruleNames.join(', ')}`,
      );
  }
  return { allowed, malformed };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function lineOfError(error: unknown, sql: string): number {
  const { sqlDetails } = error as { sqlDetails?: { cursorPosition?: number } };
  return sql.slice(0, sqlDetails?.cursorPosition ?? 0).split('\n').length;
}
