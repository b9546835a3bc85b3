// Words that make messages, pages and comments hard to read must not return.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The words to use instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  alone: 'only, by itself',
  anew: 'again',
  'of late': 'recently',
  whoever: 'name the subject',
  whom: 'name the subject',
  'so many': 'that many, up to n',
  'under way': 'in flight, in progress',
  'is away': 'is unreachable',
  'are away': 'are unreachable',
  'told of': 'notified of',
  'this is nothing that': 'say what is invalid',
  'nothing that': 'say what is invalid',
};
const WORDS = new RegExp(`\\b(${Object.keys(INSTEAD).join('|').replaceAll(' ', '\\s+')})\\b`, 'gi');

/** Text that people read: messages and comments in code, SQL, documents, emails and pages. */
const READ =
  /^(README|CONTRIBUTING|SECURITY|CHANGELOG)\.md$|^(functions|shared|database|supabase|clients|local|scripts|docs|bench|\.github)\/.*\.(ts|tsx|sql|md|py|yml|html|toml)$/;
/** Generated from other files here, or written by others. */
const MADE = /generated|docs\/database\.md|docs\/openapi\/.*\.md|LICENSE|CODE_OF_CONDUCT/;

test('plain words', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const found = files
    .filter((file) => READ.test(file) && !MADE.test(file))
    .flatMap((file) =>
      readFileSync(`${root}/${file}`, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          [...line.matchAll(WORDS)].map(
            ([word]) =>
              `${file}:${index + 1}: "${word}": ${INSTEAD[word.toLowerCase().replaceAll(/\s+/g, ' ')]}`,
          ),
        ),
    );
  expect(found).toEqual([]);
});
