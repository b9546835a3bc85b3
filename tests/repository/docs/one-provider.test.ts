// CONTRIBUTING lists what concerns only Asaas outside its folders, so that what is to change with a provider is found.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The folders of the provider, documents, tests, and what is generated. */
const ELSEWHERE = ['*/asaas/*', '*.md', 'docs', 'tests', 'migrations', 'clients/n8n/generated'];

const tracked = (...args: string[]) =>
  execFileSync('git', [...args, '--', '.', ...ELSEWHERE.map((path) => `:(exclude)${path}`)], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '');

test('the files that name Asaas are those in the list', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const start = text.indexOf('For Asaas, besides documents and tests:');
  const list = text.slice(start, text.indexOf('\n### ', start));
  const listed = Array.from(list.matchAll(/`([^`{]+)(?:\{([^}]+)\}([^`]*))?`/g)).flatMap(
    ([, path = '', names, end = '']) =>
      names === undefined ? [path] : names.split(',').map((name) => path + name + end),
  );
  expect(listed.filter((path) => !existsSync(path))).toEqual([]);
  expect(listed).toEqual(expect.arrayContaining(tracked('grep', '-il', 'asaas')));
});
