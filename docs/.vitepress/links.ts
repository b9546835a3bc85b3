// Links as GitHub has them, relative to the file, lead to the pages of the site.
import type { MarkdownRenderer } from 'vitepress';
import { addressOf, fileOfPage, resolveLink, sourceAddressOf } from './repository.ts';

/** Headings have the anchors that GitHub gives them, so a link works in both. */
export const githubSlug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** Rewrites each relative link of a page before it is rendered. */
export function followRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = fileOfPage(String(env.relativePath ?? ''));
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const href = token.attrGet('href') ?? '';
      if (/^([a-z]+:|#|\/)/.test(href)) continue;
      const { path, hash } = resolveLink(from, href);
      token.attrSet('href', (addressOf(path) ?? sourceAddressOf(path)) + hash);
    }
  });
}

/** Braces in code are text to readers, and must not be a template to Vue. */
export function keepCodeAsText(md: MarkdownRenderer): void {
  const rule = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    tokens[index]?.attrSet('v-pre', '');
    return rule?.(tokens, index, options, env, self) ?? '';
  };
}
