// Splits SQL into its statements with Postgres' own parser.
import { loadModule, type Node, type ParseResult, parseSync } from 'libpg-query';

await loadModule();

export interface SqlStatement {
  /** The statement without the comments above it. */
  text: string;
  /** Line on which it begins, from 1. */
  line: number;
  /** Whether it begins or ends a transaction. */
  endsTransaction: boolean;
}

const SPACE_AND_COMMENTS = /^(?:\s|--.*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;

/** The statements of a text. A text that the parser does not understand is one statement, which the server rejects. */
export function splitStatements(sql: string): SqlStatement[] {
  const statements = parse(sql)?.stmts ?? [{}];
  // The parser counts bytes.
  const bytes = Buffer.from(sql);
  return statements.map(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
    const whole = bytes.subarray(start, length === undefined ? undefined : start + length).toString();
    const [above = ''] = SPACE_AND_COMMENTS.exec(whole) ?? [];
    const before = bytes.subarray(0, start).toString() + above;
    const text = whole.slice(above.length);
    return { text, line: before.split('\n').length, endsTransaction: endsTransaction(stmt) };
  });
}

function parse(sql: string): ParseResult | undefined {
  try {
    return parseSync(sql);
  } catch {
    return undefined;
  }
}

const ENDS = ['BEGIN', 'START', 'COMMIT', 'ROLLBACK', 'PREPARE'].map((kind) => `TRANS_STMT_${kind}`);

const endsTransaction = (stmt: Node | undefined): boolean =>
  stmt !== undefined && 'TransactionStmt' in stmt && ENDS.includes(String(stmt.TransactionStmt.kind));
