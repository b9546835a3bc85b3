// Programs side by side: between `<!-- tabs -->` and `<!-- /tabs -->` each fence has its name in bold before it. GitHub shows
// one after the other; the site shows them as tabs.
import type { MarkdownRenderer } from 'vitepress';

const GROUP = /^<!-- tabs -->$([\s\S]*?)^<!-- \/tabs -->$/gm;
const NAMED_FENCE = /^\*\*(.+?)\*\*\n\n```(\w+)$/gm;

/** Writes groups as the site's own Markdown has them. */
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
