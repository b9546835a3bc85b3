// Defines which files of the repository are in the site, and at which URL. Used by links, the sidebar and the test.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Markdown files outside `docs/` that are pages of the site, by the last part of their URL below `/project/`. */
export const pagesFromOutside = {
  overview: 'README.md',
  contributing: 'CONTRIBUTING.md',
  security: 'SECURITY.md',
  changelog: 'CHANGELOG.md',
  'typescript-client': 'clients/typescript/README.md',
  'python-client': 'clients/python/README.md',
  'n8n-nodes': 'clients/n8n/README.md',
} as const;

/** OpenAPI documents, each with a page of the reference. */
export const openapiDocuments = readdirSync(join(root, 'docs/openapi'))
  .filter((name) => name.endsWith('.json') && name !== 'mcp-tools.json')
  .map((name) => name.replace('.json', ''));

/** Markdown pages in `docs/`, by their path in the repository. */
export const pagesInDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md') && !/(^|\/)(\.|\[)/.test(path))
  .map((path) => `docs/${path}`)
  .sort();

/** Whether a page is a translation of the page at the same path in `docs/`. */
export const isTranslated = (path: string): boolean => path.startsWith('docs/pt/');

const addresses = new Map<string, string>([
  ...pagesInDocs.map((path): [string, string] => [
    path,
    path
      .replace(/^docs/, '')
      .replace(/\.md$/, '')
      .replace(/\/(index|README)$/, '/'),
  ]),
  ...Object.entries(pagesFromOutside).map(([name, path]): [string, string] => [path, `/project/${name}`]),
  ...openapiDocuments.map((name): [string, string] => [`docs/openapi/${name}.json`, `/reference/${name}`]),
]);

/** The URL of a file or folder of the repository in the site; undefined for a file that is shown as source. */
export const addressOf = (path: string): string | undefined => addresses.get(path);

/** The URL of a page that shows the source of a file, or of all files of a folder. */
export const sourceAddressOf = (path: string): string => `/sources/${sourceName(path)}`;

/** Converts a path to a single readable URL segment. */
export const sourceName = (path: string): string =>
  path
    .replace(/^\.+/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();

/** The source file of a page, relative to the repository. The page is relative to `docs/`. */
export function fileOfPage(relativePath: string): string {
  const [, name = ''] = /^project\/(.+)\.md$/.exec(relativePath) ?? [];
  if (name in pagesFromOutside) return pagesFromOutside[name as keyof typeof pagesFromOutside];
  return `docs/${relativePath.replace(/^(adr|openapi)\/index\.md$/, '$1/README.md')}`;
}

/** The repository path that a relative link of a file points to, and its anchor. */
export function resolveLink(from: string, href: string): { path: string; hash: string } {
  const [target = '', hash = ''] = href.split('#');
  const path = target === '' ? from : posix.join(posix.dirname(from), decodeURI(target));
  return { path: path.replace(/\/$/, ''), hash: hash && `#${hash}` };
}

/** Markdown without code blocks and inline code. */
export const withoutCode = (text: string): string =>
  text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** Relative links of a Markdown file, unchanged. */
export const linksOf = (path: string): string[] =>
  Array.from(
    withoutCode(readFileSync(join(root, path), 'utf8')).matchAll(/\]\((?![a-z]+:|\/)([^)\s]+)\)/g),
    ([, href = '']) => href,
  );

/** Files that pages embed, such as images, instead of linking to them. */
const PICTURE = /\.(png|svg)$/;

/** Files and folders that pages link to and that are not pages. The site shows their source. */
export function linkedSources(): string[] {
  const pages = [...pagesInDocs, ...Object.values(pagesFromOutside)];
  const targets = pages.flatMap((page) => linksOf(page).map((href) => resolveLink(page, href).path));
  return [...new Set(targets)]
    .filter((path) => addressOf(path) === undefined && !PICTURE.test(path) && existsSync(join(root, path)))
    .sort();
}

/** The files that a source page shows: the file itself, or those of a folder. */
export function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${path}/${name}`)
    .sort();
}

const languages: Record<string, string> = {
  '.ts': 'ts',
  '.py': 'py',
  '.sh': 'sh',
  '.sql': 'sql',
  '.json': 'json',
};
/** The language of the code block for a file. */
export const languageOf = (path: string): string => languages[extname(path)] ?? 'txt';
