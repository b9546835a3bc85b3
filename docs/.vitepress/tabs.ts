// Tabs for code samples: between `<!-- tabs -->` and `<!-- /tabs -->`, each code block has its name in bold above it. The site shows
// the blocks as tabs; GitHub shows one after the other.
import type { MarkdownRenderer } from 'vitepress';

const GROUP = /^<!-- tabs -->$([\s\S]*?)^<!-- \/tabs -->$/gm;
const NAMED_FENCE = /^\*\*(.+?)\*\*\n\n```(\w+)$/gm;

/** Converts the groups to VitePress' Markdown syntax. */
export const asCodeGroups = (text: string): string =>
  text.replaceAll(
    GROUP,
    (_, group: string) => `::: code-group\n${group.replaceAll(NAMED_FENCE, '```$2 [$1]')}\n:::`,
  );

export function showTabs(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'tabs', (state) => {
    state.src = asCodeGroups(state.src);
  });
}
