// What the search of the site finds: the sections of every page. VitePress itself reads pages from their files, and so
// misses those that are made of files outside docs/.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMarkdownRenderer, type MarkdownRenderer } from 'vitepress';
import fromOutside from '../project/[name].paths.ts';
import sources from '../sources/[name].paths.ts';

const docs = fileURLToPath(new URL('..', import.meta.url));

interface Section {
  anchor: string;
  /** Headings from that of the page down to its own. */
  titles: string[];
  text: string;
}

const made = new Map(
  [
    ...fromOutside.paths().map((page) => ['project', page] as const),
    ...sources.paths().map((page) => ['sources', page] as const),
  ].map(([folder, { params, content }]) => [`${folder}/${params.name}.md`, content]),
);

/** The sections of a page; `path` is that of its file, which need not be there. */
export async function sectionsOf(path: string): Promise<Section[]> {
  const page = relative(docs, path).replaceAll('\\', '/');
  const text = made.get(page) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
  // The renderer of the site, which exists by then: there is one in a process.
  return split(await createMarkdownRenderer(docs), text, page);
}

/** `<!-- keywords: cobrança, conciliação -->` below a heading: words of readers that the page does not use. */
const KEYWORDS = /^<!-- keywords: (.*) -->/;

function split(md: MarkdownRenderer, text: string, page: string): Section[] {
  const sections: Section[] = [];
  let titles: string[] = [];
  const tokens = md.parse(text, { relativePath: page });
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before?.type === 'heading_open') {
      // A heading of level 2 is below one of level 1; a level that was left out leaves no gap.
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
