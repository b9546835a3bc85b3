// A real Chromium for the tests of the console, and what every page is held to.
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { TENANT_COOKIE } from '../../../local/console/tenants.ts';
import { launchBrowser } from '../../../scripts/browser.ts';

/** Only what fails waits for so long; a machine that others use as well may be ten times slower. */
const PATIENCE_MS = 60_000;

let browser: Browser;

/** Starts a browser for the tests of the file that calls it. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
}

export const wide: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
export const narrow: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

export interface OpenPage {
  page: Page;
  /** What the page complained of so far, in its console or by an exception. */
  complaints: string[];
}

/** A page of the console that ends with its test; it shows this tenant's data. */
export async function openConsole(
  { tenantId }: { tenantId?: string },
  options: BrowserContextOptions = wide,
): Promise<OpenPage> {
  const { baseURL = inject('stack').base_url } = options;
  const context = await browser.newContext({ ...options, baseURL });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  if (tenantId !== undefined)
    await context.addCookies([{ name: TENANT_COOKIE, value: tenantId, url: baseURL, sameSite: 'Strict' }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseURL))
      complaints.push(`${page.url()} asks ${request.url()}`);
  });
  return { page, complaints };
}

/** The same, to be examined by `faultsOf`. */
export async function openExamined(
  tenant: { tenantId?: string },
  options: BrowserContextOptions,
): Promise<OpenPage> {
  const opened = await openConsole(tenant, options);
  // Once for all that is loaded, and not a good half megabyte by wire for each.
  await opened.page.addInitScript({ content: axe.source });
  return opened;
}

/** What a page does that it must not: scroll sideways, or keep something from who cannot see or use a mouse, in all of it or in one part. */
export async function faultsOf({ page, complaints }: OpenPage, part = 'html'): Promise<string[]> {
  // axe writes styles, which the page's own policy refuses: that is none of the page's faults.
  const before = complaints.length;
  const { overflow, violations } = await page.evaluate(async (examined) => {
    const overflow = document.documentElement.scrollWidth - innerWidth;
    // Of the script of `openExamined`.
    const { axe: engine } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await engine.run(examined, {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return { overflow, violations };
  }, part);
  complaints.length = before;
  return [
    ...(overflow > 0 ? [`is ${overflow} px wider than the window`] : []),
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)),
  ];
}

/** Waits until a part of the page has this text, without loading the page again. */
export async function expectText(page: Page, selector: string, text: string | RegExp): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).first().waitFor();
  expect(await page.locator(selector).filter({ hasText: text }).count()).toBeGreaterThan(0);
}
