// The documentation site: `npm run docs` serves it for writing, `npm run docs:build` builds it.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { drawDiagrams } from './diagrams.ts';
import { followRepositoryLinks, githubSlug, keepCodeAsText } from './links.ts';
import { writeLlmsFiles } from './llms.ts';
import { portuguese, searchInPortuguese } from './portuguese.ts';
import { sectionsOf } from './search.ts';
import { servedFiles } from './served-files.ts';
import { reference, sidebar } from './sidebar.ts';
import { showTabs } from './tabs.ts';

/** The base path of the site, such as `/placar/`, and the URL of the repository, if known. */
const { DOCS_BASE = '/', REPOSITORY_URL } = process.env;

/** Allows pages to load resources only from the site itself. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
].join('; ');

const SUMMARY = 'The integration API for a gamified sales workspace, self-hosted on Supabase';

export default defineConfig({
  title: 'Placar',
  description: SUMMARY,
  locales: { root: { label: 'English', lang: 'en' }, pt: portuguese },
  base: DOCS_BASE,
  cleanUrls: true,
  // Links to the local stack only work for readers who run it.
  ignoreDeadLinks: 'localhostLinks',
  srcExclude: ['examples/**'],
  rewrites: { 'adr/README.md': 'adr/index.md', 'openapi/README.md': 'openapi/index.md' },
  cacheDir: fileURLToPath(new URL('../../node_modules/.vitepress', import.meta.url)),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${DOCS_BASE}logo.svg` }]],
  transformHead: () => [['meta', { 'http-equiv': 'Content-Security-Policy', content: policy }]],
  buildEnd: ({ outDir }) => writeLlmsFiles(outDir, { base: DOCS_BASE, summary: SUMMARY }),
  markdown: {
    anchor: { slugify: githubSlug },
    config(md) {
      showTabs(md);
      followRepositoryLinks(md);
      keepCodeAsText(md);
      drawDiagrams(md);
    },
  },
  vite: { plugins: [servedFiles], build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/quick-starts' },
      { text: 'Integrate', link: '/authentication' },
      { text: 'Administer', link: '/administration' },
      { text: 'Operate', link: '/production' },
      { text: 'Understand', link: '/architecture' },
      {
        text: 'API',
        items: [{ text: 'All operations', link: '/openapi/' }, ...reference],
        activeMatch: '^/(reference|openapi)/',
      },
    ],
    sidebar,
    outline: [2, 3],
    // Most pages exist only in English, so the language switch links to the home page.
    i18nRouting: false,
    search: {
      provider: 'local',
      options: {
        locales: { pt: searchInPortuguese },
        miniSearch: {
          _splitIntoSections: sectionsOf,
          searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 6, titles: 2, text: 1 } },
        },
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
    ...(REPOSITORY_URL && { socialLinks: [{ icon: 'github', link: REPOSITORY_URL }] }),
    footer: { message: 'MIT licensed' },
  },
});
