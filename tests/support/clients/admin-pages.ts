// Examines pages of the console for deployments in a browser, and moves through them by keyboard.
import type { Page } from 'playwright-core';
import type postgres from 'postgres';
import { expect, inject } from 'vitest';
import { createDemoData } from '../../../scripts/demo/create-demo-data.ts';
import { faultsOf, narrow, openExamined, wide } from './browser.ts';
import { createOwner, type ServedConsole, serveFor } from './served-console.ts';

export const looks = {
  light: { ...wide, colorScheme: 'light' as const, locale: 'en-GB' },
  dark: { ...narrow, colorScheme: 'dark' as const, locale: 'pt-BR' },
};

/** The console of a tenant with demo data. */
export async function serveFurnished(sql: postgres.Sql): Promise<ServedConsole> {
  const owner = await createOwner(sql);
  const stack = {
    ...inject('stack'),
    tenant_id: owner.tenantId,
    api_key: owner.apiKey,
    client_id: owner.clientId,
    client_secret: owner.clientSecret,
  };
  await createDemoData(stack, sql, () => {});
  return await serveFor(owner);
}

/** The details of the first row of a list, and the forms that they link to. */
export async function detailsAndForms(served: ServedConsole, list: string): Promise<string[]> {
  const textOf = async (path: string) => (await served.get(path)).text();
  const details = new RegExp(`<td[^>]*><a href="(${list}/[^"?]+)"`).exec(await textOf(list))?.[1] ?? '';
  expect(details, list).not.toBe('');
  const forms = (await textOf(details)).matchAll(new RegExp(`href="(${details}/[^"?]+)"`, 'g'));
  return [details, ...Array.from(forms, ([, form = '']) => form)];
}

/** Faults of pages in one look. Also walks through the pages by keyboard if the look is light. */
export async function faultsOfPages(
  served: Pick<ServedConsole, 'url' | 'cookie'>,
  look: keyof typeof looks,
  paths: readonly string[],
  { status = 200, part = 'html' } = {},
): Promise<string[]> {
  const opened = await openExamined({}, { ...looks[look], baseURL: served.url });
  const [name = '', value = ''] = served.cookie.split('=');
  await opened.page.context().addCookies([{ name, value, url: served.url }]);
  const faults: string[] = [];
  for (const path of paths) {
    const answer = await opened.page.goto(path);
    if (answer?.status() !== status) faults.push(`${path}: ${answer?.status()}`);
    for (const fault of await faultsOf(opened, part)) faults.push(`${path}, ${look}: ${fault}`);
    if ((await opened.page.locator('h1').count()) !== 1) faults.push(`${path}: not one h1`);
    if (look === 'light' && path !== '/reference')
      for (const fault of await walkByTab(opened.page, path === '/' ? 'body' : 'main'))
        faults.push(`${path}, by keyboard: ${fault}`);
  }
  return [...faults, ...opened.complaints.filter((complaint) => !/status of 403/.test(complaint))];
}

/** Moves through a page, or only its main part, with Tab. Returns the elements without focus and those that do not show it. */
async function walkByTab(page: Page, part: 'body' | 'main'): Promise<string[]> {
  const presses = await page.evaluate((part) => {
    const root = document.querySelector(part) as HTMLElement;
    const stops = [
      ...root.querySelectorAll<HTMLElement>(
        'a[href], button, input, select, textarea, summary, [tabindex="0"]',
      ),
    ].filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.matches(':disabled'));
    const left = new Set(stops);
    const unseen: string[] = [];
    const nameOf = (one: Element) => one.outerHTML.slice(0, 80);
    document.addEventListener('focusin', ({ target }) => {
      if (target === root) return;
      if (!(target instanceof HTMLElement)) return;
      left.delete(target);
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) unseen.push(nameOf(target));
    });
    Object.assign(globalThis, { keyboardFaults: () => [...unseen, ...[...left].map(nameOf)] });
    (part === 'main' ? root : stops[0])?.focus();
    // Each part of a date is a stop.
    return stops.length + 6 * root.querySelectorAll('input[type^="date"]').length;
  }, part);
  await Promise.all(Array.from({ length: presses }, () => page.keyboard.press('Tab')));
  return page.evaluate(() => (globalThis as unknown as { keyboardFaults(): string[] }).keyboardFaults());
}
