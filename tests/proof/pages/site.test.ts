// The documentation site: it builds, its links work, its search finds pages, and its pages load nothing from other hosts.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOf, pagesFromOutside, pagesInDocs, root } from '../../../docs/.vitepress/repository.ts';
import { launchBrowser } from '../../../scripts/browser.ts';
import { serveSite } from '../../support/clients/built-site.ts';
import { duration } from '../../support/progress-reporter.ts';

const markdown = [...Object.values(pagesFromOutside), ...pagesInDocs];

describe('the built site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'placar-site-'));
  let files: string[] = [];
  let site: Awaited<ReturnType<typeof serveSite>>;
  let browser: Browser;
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const pages = () => files.filter((path) => path.endsWith('.html'));

  beforeAll(async () => {
    const startedAt = performance.now();
    const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
    await promisify(execFile)(process.execPath, [vitepress, 'build', 'docs', '--outDir', folder], {
      cwd: root,
    });
    console.log(` the site was built in ${duration(performance.now() - startedAt)}`);
    files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(folder, path)).isFile(),
    );
    site = await serveSite(folder);
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    site?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has a page for each documentation page, each OpenAPI document and each linked source', () => {
    expect(pages().length).toBeGreaterThan(pagesInDocs.length + Object.keys(pagesFromOutside).length);
    for (const page of ['index', 'quick-starts', 'adr/index', 'project/contributing', 'reference/payments']) {
      expect(pages()).toContain(`${page}.html`);
    }
  });

  test('llms.txt lists every page with a sentence, each exists as Markdown, and no link is broken', () => {
    const lines = read('llms.txt')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    const links = lines.map((line) => /^- \[.+?\]\(\/(.+?\.md)\): ./.exec(line)?.[1]);
    expect(lines.filter((_, index) => links[index] === undefined)).toEqual([]);
    expect(links.filter((link) => !files.includes(link ?? ''))).toEqual([]);
    expect(new Set(links).size).toBe(markdown.length);
    expect(read('quick-starts.md')).toBe(readFileSync(join(root, 'docs/quick-starts.md'), 'utf8'));
    expect(read('llms-full.txt')).toContain(readFileSync(join(root, 'docs/quick-starts.md'), 'utf8').trim());
  });

  test('every link and anchor of its pages exists', () => {
    const ids = new Map(
      pages().map((page) => [
        page,
        new Set(Array.from(read(page).matchAll(/ id="([^"]+)"/g), ([, id]) => id)),
      ]),
    );
    const broken = pages().flatMap((page) =>
      Array.from(read(page).matchAll(/<a [^>]*?href="([^"]*)"/g), ([, href = '']) => href)
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => {
          const { pathname, hash } = new URL(href, `http://site/${page.replace(/\.html$/, '')}`);
          const target = [`${pathname}.html`, `${pathname}index.html`, pathname]
            .map((path) => decodeURI(path).slice(1))
            .find((path) => files.includes(path));
          if (target === undefined) return true;
          // The reference renders its headings in the browser. A test below checks them.
          if (target.startsWith('reference/')) return false;
          return hash !== '' && !ids.get(target)?.has(decodeURIComponent(hash.slice(1)));
        })
        .map((href) => `${page}: ${href}`),
    );
    expect(broken).toEqual([]);
  });

  test('no page loads a script, style, font or image from another host', () => {
    const loaded = /<(?:script|img|source|iframe|link)[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]+)"/g;
    const imported = /url\(["']?((?:https?:)?\/\/[^)"']+)/g;
    const outside = files
      .filter((path) => /\.(html|css)$/.test(path))
      .flatMap((path) =>
        [loaded, imported].flatMap((pattern) =>
          Array.from(read(path).matchAll(pattern), ([, url]) => `${path}: ${url}`),
        ),
      );
    expect(outside).toEqual([]);
  });

  /** Opens a page in the browser. `faults` collects requests to other hosts and errors. */
  async function open(path: string, look: { width: number; colorScheme: 'light' | 'dark' }) {
    const context = await browser.newContext({
      viewport: { width: look.width, height: 900 },
      colorScheme: look.colorScheme,
    });
    // Only a failing test waits this long.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (/^https?:/.test(protocol) && origin !== site.url) faults.push(`requests ${request.url()}`);
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || /validation error/.test(message.text())) faults.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(site.url + path, { waitUntil: 'networkidle' });
    return { page, faults, close: () => context.close() };
  }

  /** Pages with less Markdown never reach 9000 px: a line of text is 28 px high. */
  const MIN_HIGH_BYTES = 6000;

  const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

  test.each([
    ['/', 'light', 1280],
    ['/', 'dark', 390],
    ['/quick-starts', 'dark', 1280],
    ['/quick-starts', 'light', 390],
    ['/administration', 'light', 390],
    ['/operations', 'dark', 390],
    ['/database', 'light', 1280],
    ['/database', 'light', 390],
    ['/records-sync', 'light', 390],
    ['/how-a-won-deal-becomes-points', 'dark', 390],
    ['/sources/supabase-snippets', 'light', 390],
    ['/pt/', 'light', 390],
    ['/pt/guides/leaderboard', 'dark', 1280],
  ] as const)(
    '%s, %s, %i wide: no accessibility issue, no request to other hosts, no horizontal scrolling',
    async (path, colorScheme, wide) => {
      const { page, faults, close } = await open(path, { width: wide, colorScheme });
      expect(await width(page)).toBeLessThanOrEqual(wide);
      expect(faults).toEqual([]);
      await close();
    },
  );

  test('no page is higher than 9000 px at a width of 1440 px', async () => {
    // Scripts do not change the height, and pages load twice as fast without them.
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    const tooHigh: string[] = [];
    for (const path of pagesInDocs.filter((path) => statSync(join(root, path)).size > MIN_HIGH_BYTES)) {
      await page.goto(site.url + (addressOf(path) ?? ''), { waitUntil: 'load' });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (height > 9000) tooHigh.push(`${path}: ${height} px. Move sections to a page of their own.`);
    }
    expect(tooHigh).toEqual([]);
    await context.close();
  });

  test.each(['v1', 'payments'])(
    'the reference of %s shows its operations without requests to other hosts',
    async (name) => {
      const { page, faults, close } = await open(`/reference/${name}`, { width: 1280, colorScheme: 'dark' });
      const document = JSON.parse(readFileSync(join(root, `docs/openapi/${name}.json`), 'utf8'));
      await page.getByRole('heading', { name: document.info.title }).waitFor();
      const paths: Record<string, { summary: string }>[] = Object.values(document.paths);
      const [operation] = Object.values(paths[0] ?? {});
      await page
        .getByText(operation?.summary ?? '')
        .first()
        .waitFor();
      expect(faults).toEqual([]);
      await close();
    },
  );

  test('a link to an operation opens the reference at that operation', async () => {
    const { page, faults, close } = await open('/openapi/v1', { width: 1280, colorScheme: 'light' });
    await page.getByRole('link', { name: 'Update a lead', exact: true }).click();
    const heading = page.getByRole('heading', { name: 'Update a lead' });
    await heading.waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('the search finds a page by a word of its text, a client by an error name, and an operation by its name', async () => {
    const { page, faults, close } = await open('/', { width: 1280, colorScheme: 'light' });
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('idempotency-key');
    await page.locator('.results a[href*="/idempotency"]').first().waitFor();
    await page.getByRole('searchbox').fill('PreconditionFailedError');
    await page.locator('.results a[href*="/project/typescript-client"]').first().waitFor();
    await page.getByRole('searchbox').fill('List ledger entries');
    await page.locator('.results a[href*="/openapi/"]').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('the first result of a search for a task is a page about it', async () => {
    const { page, faults, close } = await open('/', { width: 1280, colorScheme: 'light' });
    await page.getByRole('button', { name: 'Search' }).click();
    const first = page.locator('.results a').first();
    const expected = {
      'create lead': /\/guides\/import-leads|\/quick-starts|\/records|\/openapi/,
      'webhook secret': /\/webhooks|\/quick-starts/,
      zapier: /\/no-code/,
      conciliação: /\/guides\/bill-customers/,
      leaderboard: /\/guides\/leaderboard/,
      'error 401': /\/guides\/debug-a-request|\/authentication/,
      '401': /\/guides\/debug-a-request|\/authentication/,
      install: /\/local-development|\/production|\/quick-starts|\/project\/overview/,
      pagination: /\/pagination/,
      'test card': /\/sandbox/,
      'webhook not received': /\/guides\/debug-a-request|\/webhooks/,
    };
    for (const [words, about] of Object.entries(expected)) {
      await page.getByRole('searchbox').fill(words);
      await expect.poll(() => first.getAttribute('href'), { timeout: 30_000, message: words }).toMatch(about);
    }
    expect(faults).toEqual([]);
    await close();
  });

  test('the search of a Portuguese page finds tasks in Portuguese', async () => {
    const { page, faults, close } = await open('/pt/', { width: 1280, colorScheme: 'light' });
    await page.getByRole('button', { name: 'Buscar' }).click();
    const first = page.locator('.results a').first();
    const expected = {
      'importar planilha': /\/pt\/guides\/import-leads/,
      'excluir dados': /\/pt\/personal-data/,
      'cartão de teste': /\/pt\/guides\/bill-customers/,
      'chave de api': /\/pt\/(authentication|quick-starts)/,
      pontos: /\/pt\/points/,
      medalhas: /\/pt\/badges-and-challenges/,
    };
    for (const [words, about] of Object.entries(expected)) {
      await page.getByRole('searchbox').fill(words);
      await expect.poll(() => first.getAttribute('href'), { timeout: 30_000, message: words }).toMatch(about);
    }
    expect(faults).toEqual([]);
    await close();
  });

  test('the search covers every page, including those from outside docs/ and programs, at URLs that exist', () => {
    const indexes = files.filter((path) => /@localSearchIndex(root|pt)/.test(path));
    expect(indexes).toHaveLength(2);
    // The ids of their documents: address and anchor of a section.
    const ids = indexes.flatMap((index) =>
      Array.from(read(index).matchAll(/"\d+":"(\/[^"]*)"/g), ([, id = '']) => id),
    );
    const addresses = new Set(ids.map((id) => id.replace(/#.*/, '')));
    const missing = markdown.map((path) => addressOf(path) ?? path).filter((page) => !addresses.has(page));
    expect(missing).toEqual([]);
    expect(addresses).toContain('/sources/supabase-snippets');
    const broken = ids.filter((id) => {
      const [address = '', anchor = ''] = id.split('#');
      const page = [`${address}.html`, `${address}index.html`].find((path) => files.includes(path.slice(1)));
      return page === undefined || (anchor && !read(page).includes(` id="${anchor}"`));
    });
    expect(broken).toEqual([]);
  });
});
