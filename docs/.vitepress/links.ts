// Rewrites links that are relative to the file, as on GitHub, to the pages of the site.
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { addressOf, fileOfPage, resolveLink, sourceAddressOf } from './repository.ts';

/** Headings get the same anchors as on GitHub, so that links work in both. */
export const githubSlug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** Rewrites the relative links and images of a page before it is rendered. */
export function followRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = String(env.relativePath ?? '');
    const from = fileOfPage(page);
    /** The path of an image file, relative to the page in the site. */
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

/** Prevents Vue from treating braces in code as a template. */
export function keepCodeAsText(md: MarkdownRenderer): void {
  const rule = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    tokens[index]?.attrSet('v-pre', '');
    return rule?.(tokens, index, options, env, self) ?? '';
  };
}
