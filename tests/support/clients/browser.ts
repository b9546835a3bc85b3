// A real Chromium for the tests of the console, and checks that every page must pass.
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { TENANT_COOKIE } from '../../../local/console/tenants.ts';
import { launchBrowser } from '../../../scripts/browser.ts';

/** Only failing tests wait that long. A busy machine may be ten times slower. */
const PATIENCE_MS = 60_000;

let browser: Browser;

/** Starts a browser for the tests of the calling file. */
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

interface OpenPage {
  page: Page;
  /** Errors of the page so far, from its console or from exceptions. */
  complaints: string[];
}

/** Opens a page of the console with the data of this tenant. It closes with the test. */
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

/** The same, for examination with `faultsOf`. */
export async function openExamined(
  tenant: { tenantId?: string },
  options: BrowserContextOptions,
): Promise<OpenPage> {
  const opened = await openConsole(tenant, options);
  // Sent once for all pages, because it is more than half a megabyte.
  await opened.page.addInitScript({ content: axe.source });
  return opened;
}

/** Checks a page, or a part of it, for horizontal scrolling and accessibility problems. */
export async function faultsOf({ page, complaints }: OpenPage, part = 'html'): Promise<string[]> {
  // axe writes styles, which the content security policy of the page blocks. This is not an error of the page.
  const before = complaints.length;
  const { overflow, violations } = await page.evaluate(async (examined) => {
    const overflow = document.documentElement.scrollWidth - innerWidth;
    // From the script of `openExamined`.
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

/** Waits until a part of the page contains this text, without reloading the page. */
export async function expectText(page: Page, selector: string, text: string | RegExp): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).first().waitFor();
  expect(await page.locator(selector).filter({ hasText: text }).count()).toBeGreaterThan(0);
}
