// Finds the SQL statements in the body of a `do` block. Postgres' parser treats the body as a string.

export interface Fragment {
  /** One statement. For `execute`, the statement in its string, with placeholders filled. */
  sql: string;
  /** Blanks and comments above it. */
  above: string;
  /** Line breaks before it in the body. */
  line: number;
  inLoop: boolean;
}

/** Comments, strings, dollar quotes, quoted names, words, and single other characters. */
const TOKEN =
  /(--.*|\/\*[\s\S]*?\*\/|\s+)|([eE]?'(?:[^'\\]|''|\\.)*'|\$(\w*)\$[\s\S]*?\$\3\$|"(?:[^"]|"")*")|(\w+)|([\s\S])/g;

/** After these words, a statement may begin. */
const STARTS = ['begin', 'then', 'else', 'loop'];
const STATEMENTS =
  /^(alter|cluster|create|delete|drop|execute|insert|lock|merge|refresh|reindex|revoke|set|truncate|update|vacuum|with)$/;

/** The SQL statements of a PL/pgSQL body, without those that only PL/pgSQL has. */
export function fragmentsOf(body: string): Fragment[] {
  const fragments: Fragment[] = [];
  let loops = 0;
  let previous = 'begin';
  let above = '';
  let startedAt: number | undefined;
  let start: Omit<Fragment, 'sql'> = { above: '', line: 0, inLoop: false };
  for (const { 0: text, 1: blank, 4: word, index } of body.matchAll(TOKEN)) {
    if (blank !== undefined) {
      above += blank;
      continue;
    }
    const lower = word?.toLowerCase() ?? text;
    if (startedAt === undefined && [';', ...STARTS].includes(previous) && STATEMENTS.test(lower)) {
      startedAt = index;
      start = { above, line: body.slice(0, index).split('\n').length - 1, inLoop: loops > 0 };
    } else if (lower === ';' && startedAt !== undefined) {
      fragments.push({ ...start, sql: statementOf(body.slice(startedAt, index)) });
      startedAt = undefined;
    } else if (lower === 'loop' && startedAt === undefined) loops += previous === 'end' ? -1 : 1;
    previous = lower;
    above = '';
  }
  return fragments;
}

/** For `execute`, treats the first string as the whole statement. If it is only a part, it does not parse, which is reported. */
function statementOf(text: string): string {
  if (!/^execute\b/i.test(text)) return text;
  const [, quoted, , dollar] = /'((?:[^']|'')*)'|\$(\w*)\$([\s\S]*?)\$\2\$/.exec(text) ?? [];
  const string = dollar ?? quoted?.replaceAll("''", "'") ?? text;
  return string
    .replaceAll(/%(?:\d+\$)?I/g, 'x')
    .replaceAll(/%(?:\d+\$)?L/g, "'x'")
    .replaceAll(/%(?:\d+\$)?s/g, 'x');
}
