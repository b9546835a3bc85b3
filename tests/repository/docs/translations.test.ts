// Translated pages have the same commands, sections and links as the English pages, whose commands are tested.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commonPtBr } from '../../../clients/console/messages/common-pt-br.ts';
import { ptBr as consoleTexts } from '../../../clients/console/messages/pt-br.ts';
import { signInPtBr } from '../../../clients/console/messages/sign-in-pt-br.ts';
import {
  isTranslated,
  linksOf,
  pagesInDocs,
  resolveLink,
  root,
} from '../../../docs/.vitepress/repository.ts';
import { ptBr } from '../../../shared/platform/messages/pt-br.ts';

const translated = pagesInDocs.filter(isTranslated);
const englishOf = (page: string) => page.replace('docs/pt/', 'docs/');
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

const blocks = (text: string) => Array.from(text.matchAll(/^(```\w*\n[\s\S]*?^```)/gm), ([block]) => block);
const headings = (text: string) =>
  Array.from(text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+(?= )/gm), ([level]) => level);
/** Link targets of a page; links to pages in its own language count as links to the English pages. */
const targets = (page: string) =>
  linksOf(page)
    .map((href) => englishOf(resolveLink(page, href).path))
    .sort();

test('the home page, the quick starts and every guide are translated', () => {
  const expected = pagesInDocs.filter((page) =>
    /^docs\/(index|authentication|badges-and-challenges|console|hosting-the-console|no-code|personal-data|points|quick-starts|two-way-sync|guides\/.*)\.md$/.test(
      page,
    ),
  );
  expect(translated.map(englishOf)).toEqual(expected);
});

test.each(translated)('%s', (page) => {
  const [own, english] = [textOf(page), textOf(englishOf(page))];
  expect(blocks(own)).toEqual(blocks(english));
  expect(headings(own)).toEqual(headings(english));
  expect(targets(page)).toEqual(targets(englishOf(page)));
  const untranslated = linksOf(page).filter((href) => {
    const { path } = resolveLink(page, href);
    return path.startsWith('docs/') && translated.includes(path.replace('docs/', 'docs/pt/'));
  });
  expect(untranslated).toEqual([]);
});

const placeholders = (text: string) => Array.from(text.matchAll(/\{\w+\}/g), ([name]) => name).sort();

test.each(Object.entries({ ...ptBr, ...commonPtBr, ...consoleTexts, ...signInPtBr }))(
  '%s has the same values in Portuguese',
  (english, portuguese) => {
    expect(placeholders(portuguese)).toEqual(placeholders(english));
    expect(portuguese.trim()).not.toBe('');
  },
);
