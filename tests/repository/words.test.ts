// Words that make a message, a page or a comment hard to read do not come back.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What to write instead. */
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

/** Where a person reads: code with its messages and comments, SQL, documents, mails, pages. */
const READ =
  /^(README|CONTRIBUTING|SECURITY|CHANGELOG)\.md$|^(functions|shared|migrations|supabase|clients|local|scripts|docs|bench|\.github)\/.*\.(ts|tsx|sql|md|py|yml|html|toml)$/;
/** Made from what is read here, or texts of others. */
const MADE = /generated|docs\/database(\/.*)?\.md|docs\/openapi\/.*\.md|LICENSE|CODE_OF_CONDUCT/;

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
