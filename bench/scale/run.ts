// `npm run bench:scale`: prints the tables of docs/scale.md. `write` updates them in the document, `check` compares them, `rows`
// measures bytes per row.
import { readFile, writeFile } from 'node:fs/promises';
import { scaleTables } from './tables.ts';

const DOCUMENT = new URL('../../docs/scale.md', import.meta.url);

/** Replaces the tables in the document, each between `<!-- table: name -->` and `<!-- end -->`. */
export function withTables(document: string): string {
  return document.replace(/(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, name, end) => {
    const table = scaleTables()[name];
    if (table === undefined) throw new Error(`docs/scale.md contains an unknown table: ${name}`);
    return `${begin}${table}\n${end}`;
  });
}

async function main(command: string | undefined): Promise<void> {
  if (command === 'rows') return void (await (await import('./measure-rows.ts')).measureRows());
  if (command === undefined) return console.log(Object.values(scaleTables()).join('\n\n'));
  const document = await readFile(DOCUMENT, 'utf8');
  if (command === 'write') return await writeFile(DOCUMENT, withTables(document));
  if (command !== 'check') throw new Error('Usage: npm run bench:scale [-- write | check | rows]');
  if (withTables(document) === document) return;
  console.error('The tables in docs/scale.md are outdated. Run npm run bench:scale write.');
  process.exitCode = 1;
}

if (process.argv[1]?.endsWith('bench/scale/run.ts')) await main(process.argv[2]);
