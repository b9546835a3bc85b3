// `npm run measure`: prints how large the project is, and how much of it is generated or replaced.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter(Boolean);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const under = (pattern: RegExp) => files.filter((path) => pattern.test(path));
const linesOf = (text: string) => text.split('\n').length - 1;
const linesIn = (pattern: RegExp) => under(pattern).reduce((sum, path) => sum + linesOf(read(path)), 0);

/** Definitions of SQL functions: name with arguments, and how many lines each has. */
function functionDefinitions(): { name: string; lines: number }[] {
  const definition = /^create (?:or replace )?function ([\w.]+\([\s\S]*?\)) returns[\s\S]*?^\$\$;$/gm;
  return under(/^database\/.*\.sql$/).flatMap((path) =>
    [...read(path).matchAll(definition)].map(([text, name = '']) => ({ name, lines: linesOf(`${text}\n`) })),
  );
}

function replacedFunctions(): { functions: number; lines: number } {
  const byName = new Map<string, number[]>();
  for (const { name, lines } of functionDefinitions()) byName.set(name, [...(byName.get(name) ?? []), lines]);
  const replaced = [...byName.values()].filter((definitions) => definitions.length > 1);
  return {
    functions: replaced.length,
    lines: replaced.flatMap((definitions) => definitions.slice(0, -1)).reduce((a, b) => a + b, 0),
  };
}

/** Imports from one folder of shared/ to another. */
function importsBetweenFolders(): number {
  return under(/^shared\/.*\.ts$/)
    .flatMap((from) =>
      [...read(from).matchAll(/(?:\bfrom |\bimport\()'(\.[^']+)'/g)].map(([, to = '']) => [
        dirname(from),
        dirname(normalize(join(dirname(from), to))),
      ]),
    )
    .filter(([from, to]) => from !== to).length;
}

const GENERATED =
  /^(docs\/openapi\/.*\.(json|md)|docs\/database\.md|clients\/typescript\/src\/generated\/|clients\/python\/src\/placar\/types\.py|clients\/n8n\/generated\/|shared\/platform\/db\/database\.types\.ts|.*(package-lock\.json|deno\.lock)$)/;
const replaced = replacedFunctions();
const rows: [string, number][] = [
  ['files in migrations/', under(/^migrations\/.*\.sql$/).length],
  ['SQL functions defined more than once ', replaced.functions],
  ['lines of SQL that a later definition replaces', replaced.lines],
  ['lines of migrations/, which are made from database/', linesIn(/^migrations\/.*\.sql$/)],
  ['lines of database/', linesIn(/^database\/.*\.sql$/)],
  ['lines of functions/', linesIn(/^functions\/.*\.ts$/)],
  ['lines of shared/, without generated types', linesIn(/^shared\/(?!platform\/db\/database\.types).*\.ts$/)],
  [
    'lines of clients/, without generated types',
    linesIn(
      /^clients\/(?!typescript\/src\/generated|python\/src\/placar\/types\.py|n8n\/generated).*\.(tsx?|py|css)$/,
    ),
  ],
  ['lines of local/providers/', linesIn(/^local\/providers\/.*\.ts$/)],
  ['lines of local/, without providers', linesIn(/^local\/(?!providers\/).*\.(ts|sql)$/)],
  ['lines of tests/', linesIn(/^tests\/.*\.ts$/)],
  [
    'lines of docs/ that people write',
    linesIn(/^docs\/(?!openapi\/).*\.md$/) - linesIn(/^docs\/database\.md$/),
  ],
  ['committed lines that a command writes', linesIn(GENERATED)],
  ['imports between folders of shared/', importsBetweenFolders()],
];
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, count] of rows) console.log(`${name.padEnd(width)}  ${String(count).padStart(7)}`);
