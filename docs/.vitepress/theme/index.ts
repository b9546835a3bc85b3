// VitePress' default theme with Placar's colors, the API reference as a component, and search results in a useful order.
import type { DefaultTheme, EnhanceAppContext, Theme } from 'vitepress';
import BaseTheme from 'vitepress/theme-without-fonts';
import { ApiReference } from './api-reference.ts';
import './style.css';

const TASKS = /\/(guides|quick-starts|two-way-sync)/;
const INTERNALS =
  /\/(sources|adr|database|performance|scale|architecture|following-a-request|fault-testing|contributing|changelog)/i;

/** Tasks come before reference pages, and these before snippets and internals. */
function boostDocument(id: string): number {
  if (TASKS.test(id)) return 3;
  return INTERNALS.test(id) ? 0.2 : 1;
}

/** VitePress deserializes functions in its configuration with `new Function`, which the site's content security policy forbids. */
function orderSearchResults(siteData: EnhanceAppContext['siteData']): void {
  const theme: DefaultTheme.Config = siteData.value.themeConfig;
  if (theme.search?.provider !== 'local') return;
  const { options } = theme.search;
  const searchOptions = { ...options?.miniSearch?.searchOptions, boostDocument };
  const search = {
    ...theme.search,
    options: { ...options, miniSearch: { ...options?.miniSearch, searchOptions } },
  };
  siteData.value = { ...siteData.value, themeConfig: { ...theme, search } };
}

export default {
  extends: BaseTheme,
  enhanceApp({ app, siteData }) {
    app.component('ApiReference', ApiReference);
    orderSearchResults(siteData);
  },
} satisfies Theme;
