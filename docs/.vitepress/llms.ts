// Files for language models (llmstxt.org): `/llms.txt` lists the pages with a sentence each, `/llms-full.txt` contains all pages, and each
// page is available as Markdown at its URL with `.md`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addressOf, isTranslated, pagesFromOutside, pagesInDocs, root } from './repository.ts';
import { groups, titleOf } from './sidebar.ts';

interface ListedPage {
  /** Path in the repository. */
  path: string;
  /** Path of the Markdown in the site, without a leading slash. */
  file: string;
  text: string;
}

const MAX_SENTENCE_LENGTH = 240;

const pageAt = (path: string): ListedPage => {
  const address = addressOf(path) ?? '/';
  const file = `${address.endsWith('/') ? `${address}index` : address}.md`.slice(1);
  return { path, file, text: readFileSync(join(root, path), 'utf8') };
};

/** The first sentence of a page's prose. */
function sentenceOf(text: string): string {
  const prose = text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '')
    .split(/\n{2,}/)
    .map((part) => part.replaceAll('\n', ' ').trim())
    .find((part) => /^[\p{L}`"[]/u.test(part));
  const plain = (prose ?? '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const [sentence = ''] = /^.*?[.:!?](?=\s|$)/.exec(plain) ?? [plain];
  return sentence.replace(/:$/, '.').slice(0, MAX_SENTENCE_LENGTH);
}

/** The pages by group, each once. Pages that are not in the sidebar come last. */
function listPages(): [group: string, pages: ListedPage[]][] {
  const all = [...pagesInDocs, ...Object.values(pagesFromOutside)];
  const byFolder: [string, (path: string) => boolean][] = [
    ['API operations', (path) => path.startsWith('docs/openapi/')],
    ['Decision records', (path) => path.startsWith('docs/adr/')],
    ['Português', isTranslated],
    ['Further pages', () => true],
  ];
  const left = new Set(all);
  const take = (paths: string[]) => paths.filter((path) => left.delete(path)).map(pageAt);
  const named = Object.entries(groups).map(([group, paths]): [string, ListedPage[]] => [group, take(paths)]);
  const others = byFolder.map(([group, isIn]): [string, ListedPage[]] => [
    group,
    take([...left].filter(isIn)),
  ]);
  return [...named, ...others].filter(([, pages]) => pages.length > 0);
}

/** Writes the files into the built site. `base` is the path below which it is served. */
export function writeLlmsFiles(outDir: string, { base, summary }: { base: string; summary: string }): void {
  const list = listPages();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    writeFileSync(join(outDir, file), text);
  };
  const pages = list.flatMap(([, ofGroup]) => ofGroup);
  for (const { file, text } of pages) write(file, text);
  const sections = list.map(
    ([group, ofGroup]) =>
      `## ${group}\n\n${ofGroup.map(({ path, file, text }) => `- [${titleOf(path)}](${base}${file}): ${sentenceOf(text)}`).join('\n')}\n`,
  );
  write('llms.txt', `# Placar\n\n> ${summary}\n\n${sections.join('\n')}`);
  write(
    'llms-full.txt',
    pages.map(({ file, text }) => `<!-- ${base}${file} -->\n\n${text.trim()}\n`).join('\n'),
  );
}
