// All texts of the console are translated, and all translations are used.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ptBr as consoleTexts } from '../../clients/console/messages/pt-br.ts';
import { ptBr } from '../../shared/platform/messages/pt-br.ts';

const TRANSLATIONS = 'shared/platform/messages/pt-br.ts';

const sources = ['clients/console', 'local/console', 'local/emulators/auth', 'shared/platform/mail']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('messages/'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Text between tags, and values of attributes that people see or hear. */
const SHOWN =
  /<\/?[A-Za-z][^<>=]*(?:="[^"]*"|=\{(?:[^{}]|\{[^{}]*\})*\}|[^<>=])*>\s*([^<>{}();=]*[A-Za-z]{2}[^<>{}();=]*)(?=[<{])|\b(?:title|alt|aria-label|placeholder|label|note|none|lead)="([^"]+)"/g;
/** Words, in contrast to names of the API and to code. */
const PROSE = /^[A-Za-z][a-z]+([ ,']+[A-Za-z]+)*[.:!?]?$/;
/** The same in both languages. */
const NAMES = ['Placar', 'Pix', 'Boleto', 'npm run demo'];

test.each(sources)('$path has no untranslated text', ({ path, text }) => {
  if (!path.endsWith('.tsx')) return;
  const literals = Array.from(text.matchAll(SHOWN), ([, between, value]) => (between ?? value ?? '').trim());
  expect(literals.filter((literal) => PROSE.test(literal) && !NAMES.includes(literal))).toEqual([]);
});

test('every translation is used, or names something in the data', () => {
  const translations = readFileSync(TRANSLATIONS, 'utf8');
  const names = translations.slice(translations.indexOf('// Statuses and other names in the data'));
  const all = `${names}${sources.map(({ text }) => text).join()}`.replaceAll("\\'", "'");
  const unused = Object.keys(ptBr).filter((key) => !all.includes(key.replaceAll('\n', '\\n')));
  expect(unused).toEqual([]);
});

test('no console text is translated twice, and each is used or names something in the data', () => {
  expect(Object.keys(consoleTexts).filter((key) => key in ptBr)).toEqual([]);
  const translations = readFileSync('clients/console/messages/pt-br.ts', 'utf8');
  const values = translations.slice(translations.indexOf('// Values'));
  const all = `${values}${sources.map(({ text }) => text).join()}`.replaceAll("\\'", "'");
  expect(Object.keys(consoleTexts).filter((key) => !all.includes(key))).toEqual([]);
});
