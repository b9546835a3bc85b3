// Renders Mermaid diagrams when the site is built, in the colors of its theme, so that browsers load and render nothing.
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

const colours = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-2)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-divider)',
  font: 'inherit',
};

/** The library would load fonts from another host. The site uses its own. */
const withoutFonts = (svg: string): string =>
  svg.replaceAll(/@import url\([^)]*\);?/g, '').replaceAll(/font-family: *'[^']*'/g, 'font-family: inherit');

/** Replaces code blocks with the language `mermaid` by images. */
export function drawDiagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, options, env, self) ?? '';
    const svg = withoutFonts(renderMermaidSVG(token.content, { ...colours, padding: 8, transparent: true }));
    // Inserted as text, because Vue's templates reject style elements and each image has its own.
    return `<figure class="diagram" tabindex="0" v-html="${md.utils.escapeHtml(JSON.stringify(svg))}"></figure>`;
  };
}
