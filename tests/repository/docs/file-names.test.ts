// Files named in comments and documents exist. A name is the end of a path; `*` matches anything.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');

const NAMED = /(?<![\w./@:<>-])(?:\.\.\/)*((?:[\w.*-]+\/)*[\w*-][\w.*-]*\.(?:ts|tsx|sql))(?![\w/-])/g;
/** Created by readers, tools or examples. */
const MADE = /\/generated\/|^(quick\.ts|placar\.sql)$/;

/** Comments of a source file; all of a document. */
function proseOf(file: string): string {
  const text = readFileSync(`${root}/${file}`, 'utf8');
  if (file.endsWith('.md')) return text;
  const comment = file.endsWith('.sql') ? /--.*$/gm : /(?:^|\s)\/\/.*$|^\s*\/?\*.*$/gm;
  return (text.match(comment) ?? []).join('\n');
}

function isThere(name: string): boolean {
  const pattern = name
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]*');
  const end = new RegExp(`(^|/)${pattern}$`);
  return files.some((file) => end.test(file));
}

test('every file that is named exists', () => {
  const read = files.filter(
    (file) => /\.(md|sql|tsx?)$/.test(file) && !/CHANGELOG|generated|node_modules/.test(file),
  );
  const missing = read.flatMap((file) =>
    [...new Set([...proseOf(file).matchAll(NAMED)].map(([, name = '']) => name))]
      .filter((name) => !MADE.test(name) && !isThere(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});
