// A function or view that a later migration replaces says so above its old text, where readers find it first.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));

interface Definition {
  file: string;
  /** The line above. */
  above: string;
  replaces: boolean;
  /** Names and types of the arguments; overloads differ. */
  arguments: string;
}

const definitions = new Map<string, Definition[]>();
for (const file of readdirSync(folder).sort()) {
  const text = readFileSync(join(folder, file), 'utf8');
  for (const match of text.matchAll(/^create (or replace )?(?:function|view) ([a-z_]+\.\w+)/gm)) {
    const [, replaces, name = ''] = match;
    const head = text.slice(match.index, match.index + 400);
    const parameters = /\(([^$]*?)\)\s*returns/.exec(head)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
    const above = text.slice(0, match.index).split('\n').at(-2) ?? '';
    const all = definitions.get(name) ?? [];
    definitions.set(name, [...all, { file, above, replaces: Boolean(replaces), arguments: parameters }]);
  }
}

test('every replaced definition names the migration with the current text', () => {
  const missing: string[] = [];
  let replaced = 0;
  for (const [name, all] of definitions) {
    for (const [index, one] of all.entries()) {
      const last = all
        .slice(index + 1)
        .findLast((later) => later.replaces && later.file !== one.file && later.arguments === one.arguments);
      if (!last) continue;
      replaced++;
      const note = `-- Replaced in *_${last.file.replace(/^\d+_/, '')}.`;
      if (one.above !== note) missing.push(`${one.file}, above ${name}: ${note}`);
    }
  }
  expect(replaced).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});
