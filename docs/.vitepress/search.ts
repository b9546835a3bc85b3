// The search index of the site: the sections of every page. VitePress' own index reads pages from their files, so it
// misses pages that are generated from files outside docs/.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMarkdownRenderer, type MarkdownRenderer } from 'vitepress';
import fromOutside from '../project/[name].paths.ts';
import sources from '../sources/[name].paths.ts';

const docs = fileURLToPath(new URL('..', import.meta.url));

interface Section {
  anchor: string;
  /** Headings from the title of the page down to that of the section. */
  titles: string[];
  text: string;
}

const made = new Map(
  [
    ...fromOutside.paths().map((page) => ['project', page] as const),
    ...sources.paths().map((page) => ['sources', page] as const),
  ].map(([folder, { params, content }]) => [`${folder}/${params.name}.md`, content]),
);

/** The sections of a page. The file at `path` does not have to exist. */
export async function sectionsOf(path: string): Promise<Section[]> {
  const page = relative(docs, path).replaceAll('\\', '/');
  const text = made.get(page) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
  // The renderer of the site, of which a process has only one. It already exists here.
  return split(await createMarkdownRenderer(docs), text, page);
}

/** `<!-- keywords: cobrança, conciliação -->` below a heading: search terms that the page itself does not contain. */
const KEYWORDS = /^<!-- keywords: (.*) -->/;

function split(md: MarkdownRenderer, text: string, page: string): Section[] {
  const sections: Section[] = [];
  let titles: string[] = [];
  const tokens = md.parse(text, { relativePath: page });
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before?.type === 'heading_open') {
      // A heading of level 2 is below one of level 1. Skipped levels leave no gap.
      titles = [...titles.slice(0, Number(before.tag.slice(1)) - 1), textOf(token.children ?? [])];
      sections.push({ anchor: before.attrGet('id') ?? '', titles, text: '' });
      continue;
    }
    const section = sections.at(-1);
    const said =
      token.type === 'inline'
        ? textOf(token.children ?? [])
        : token.type === 'fence'
          ? token.content
          : (KEYWORDS.exec(token.content)?.[1] ?? '');
    if (section && said) section.text += `${said}\n`;
  }
  return sections;
}

const textOf = (tokens: { type: string; content: string }[]): string =>
  tokens
    .map(({ type, content }) =>
      type === 'softbreak' || type === 'hardbreak' ? ' ' : type.startsWith('html') ? '' : content,
    )
    .join('');
