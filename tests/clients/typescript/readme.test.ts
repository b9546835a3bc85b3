// The README of the TypeScript client names all its methods.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Placar } from '../../../clients/typescript/src/index.ts';

const readme = fileURLToPath(new URL('../../../clients/typescript/README.md', import.meta.url));
const placar = new Placar({
  url: 'https://example.com',
  apiKey: 'sk_test_a',
  clientId: 'client_a',
  clientSecret: 'secret_a',
});
const members = Object.entries(Object.getOwnPropertyDescriptors(Placar.prototype)).flatMap(
  ([name, { get }]) => (get ? [name] : []),
);

/** Rows of the table: the content of the first and the second cell. */
const [, section = ''] = readFileSync(readme, 'utf8').split('## Methods');
const rows = Array.from(section.matchAll(/^\| (`.+?) \| (.+) \|$/gm), ([, names = '', methods = '']) => ({
  names,
  methods,
}));

test.each(members)('%s documents each of its methods', (member) => {
  const said = rows
    .filter(({ names }) => names.includes(`\`${member}\``))
    .map(({ methods }) => methods)
    .join(' ');
  const resource: object = Reflect.get(placar, member);
  const missing = Object.keys(resource).filter((method) => !new RegExp(`\\b${method}\\b`).test(said));
  expect(missing).toEqual([]);
});
