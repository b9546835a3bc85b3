// Links as GitHub has them, relative to the file, lead to the pages of the site.
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { addressOf, fileOfPage, resolveLink, sourceAddressOf } from './repository.ts';

/** Headings have the anchors that GitHub gives them, so a link works in both. */
export const githubSlug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** Rewrites each relative link and picture of a page before it is rendered. */
export function followRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = String(env.relativePath ?? '');
    const from = fileOfPage(page);
    /** A picture is taken from where it lies, seen from where the page is in the site. */
    const pictureOf = (source: string): string =>
      /^([a-z]+:|\/)/.test(source)
        ? source
        : posix.relative(posix.dirname(`docs/${page}`), resolveLink(from, source).path);
    for (const token of tokens.flatMap((outer) => [outer, ...(outer.children ?? [])])) {
      if (token.type === 'image') token.attrSet('src', pictureOf(token.attrGet('src') ?? ''));
      if (token.type.startsWith('html_')) {
        token.content = token.content.replaceAll(
          /(\b(?:src|srcset)=")([^"]+)"/g,
          (_, attribute: string, source: string) => `${attribute}${pictureOf(source)}"`,
        );
      }
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
