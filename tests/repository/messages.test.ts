// All texts of the console are translated, and all translations are used.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commonPtBr } from '../../clients/console/messages/common-pt-br.ts';
import { personPaymentsPtBr } from '../../clients/console/messages/person-payments-pt-br.ts';
import { ptBr as consoleTexts } from '../../clients/console/messages/pt-br.ts';
import { signInPtBr } from '../../clients/console/messages/sign-in-pt-br.ts';
import { ptBr } from '../../shared/platform/messages/pt-br.ts';
import { leadTextNames } from '../../shared/records/leads/texts.ts';

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

test.each(leadTextNames)('the label of %s is translated', (name) => {
  expect(Object.keys({ ...commonPtBr, ...consoleTexts }).map((text) => text.toLowerCase())).toContain(name);
});

const contentOf = sources.map(({ text }) => text).join();

test.each([
  ['shared/platform/messages/pt-br.ts', ptBr],
  ['clients/console/messages/common-pt-br.ts', commonPtBr],
  ['clients/console/messages/pt-br.ts', consoleTexts],
  ['clients/console/messages/sign-in-pt-br.ts', signInPtBr],
  ['clients/console/messages/person-payments-pt-br.ts', personPaymentsPtBr],
])('every translation of %s is used, or names something in the data', (path, texts) => {
  const translations = readFileSync(path, 'utf8');
  // The section of names and values comes last.
  const names = /\/\/ (?:Statuses and other names in the data|Values)[\s\S]*/.exec(translations)?.[0] ?? '';
  const all = `${names}${contentOf}`.replaceAll("\\'", "'");
  expect(Object.keys(texts).filter((key) => !all.includes(key.replaceAll('\n', '\\n')))).toEqual([]);
});

test('no text of the console is translated twice', () => {
  expect(Object.keys(consoleTexts).filter((key) => key in commonPtBr)).toEqual([]);
  const others = { ...commonPtBr, ...consoleTexts };
  expect(Object.keys(signInPtBr).filter((key) => key in others)).toEqual([]);
  const all = { ...others, ...signInPtBr };
  expect(Object.keys(personPaymentsPtBr).filter((key) => key in all)).toEqual([]);
});
