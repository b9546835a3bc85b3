// The documentation on GitHub: its links work. `npm run proof:pages` examines the built site.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { githubSlug } from '../../../docs/.vitepress/links.ts';
import {
  linksOf,
  pagesFromOutside,
  pagesInDocs,
  resolveLink,
  root,
  withoutCode,
} from '../../../docs/.vitepress/repository.ts';

const markdown = [...Object.values(pagesFromOutside), ...pagesInDocs];

/** Anchors that GitHub gives to the headings of a file. */
function anchorsOf(path: string): Set<string> {
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '');
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = githubSlug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''));
    let unique = slug;
    for (let n = 1; anchors.has(unique); n++) unique = `${slug}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

test.each(markdown)('%s: every link points to an existing file and heading', (page) => {
  const broken = linksOf(page).filter((href) => {
    const { path, hash } = resolveLink(page, href);
    if (!existsSync(join(root, path))) return true;
    return hash !== '' && path.endsWith('.md') && !anchorsOf(path).has(hash.slice(1));
  });
  expect(broken).toEqual([]);
});

test('no page has a link without a target, or text that the site would parse as a tag', () => {
  const odd = pagesInDocs.flatMap((page) =>
    [...withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/\]\(\)|<[a-z]+>|\{\{/g)]
      .filter(([match]) => match !== '<br>')
      .map(([match]) => `${page}: ${match}`),
  );
  expect(odd).toEqual([]);
});
