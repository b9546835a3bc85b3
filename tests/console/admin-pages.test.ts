// Every page of the console for deployments: full, empty and refused; wide and narrow, light and dark, in both languages.
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { pages, resources } from '../../clients/console/pages.ts';
import { furnish } from '../../scripts/demo/furnish.ts';
import { faultsOf, narrow, openExamined, useBrowser, wide } from '../support/clients/browser.ts';
import { createOwner, type ServedConsole, serveFor } from '../support/clients/served-console.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

const looks = {
  light: { ...wide, colorScheme: 'light' as const, locale: 'en-GB' },
  dark: { ...narrow, colorScheme: 'dark' as const, locale: 'pt-BR' },
};

/** Lists, and one form of each resource. */
const PATHS = [
  ...new Set([
    ...Object.keys(pages),
    ...resources.flatMap(({ path, acts = [] }) => [
      path,
      ...acts.slice(0, 1).map(({ name }) => `${path}/${name}`),
    ]),
  ]),
].filter((path) => !path.includes(':'));

/** Those without forms. */
const LISTED = [...new Set([...Object.keys(pages), ...resources.map(({ path }) => path)])].filter(
  (path) => !path.includes(':'),
);

/** Details of the first row of each list. */
const LISTS = [
  '/records/leads',
  '/records/users',
  '/gamification/tiers',
  '/payments/invoices',
  '/webhooks',
  '/events',
  '/changes',
  '/requests',
];

async function faultsOfPages(
  served: ServedConsole,
  look: keyof typeof looks,
  paths: readonly string[],
  status: number[],
  part?: string,
) {
  const opened = await openExamined({}, { ...looks[look], baseURL: served.url });
  const [name = '', value = ''] = served.cookie.split('=');
  await opened.page.context().addCookies([{ name, value, url: served.url }]);
  const faults: string[] = [];
  for (const path of paths) {
    const answer = await opened.page.goto(path);
    if (!status.includes(answer?.status() ?? 0)) faults.push(`${path}: ${answer?.status()}`);
    for (const fault of await faultsOf(opened, part)) faults.push(`${path}, ${look}: ${fault}`);
    if ((await opened.page.locator('h1').count()) !== 1) faults.push(`${path}: not one h1`);
    if (look === 'light' && path !== '/reference')
      for (const fault of await walkByTab(opened.page, path === '/' ? 'body' : 'main'))
        faults.push(`${path}, by keyboard: ${fault}`);
  }
  return [...faults, ...opened.complaints.filter((complaint) => !/status of 403/.test(complaint))];
}

test('with data, wide, light and English; by keyboard every control of each page is reachable and shows its focus', async () => {
  const owner = await createOwner(sql);
  const stack = {
    ...inject('stack'),
    tenant_id: owner.tenantId,
    api_key: owner.apiKey,
    client_id: owner.clientId,
    client_secret: owner.clientSecret,
  };
  await furnish(stack, sql, () => {});
  const served = await serveFor(owner);
  const details = await Promise.all(
    LISTS.map(async (path) => {
      const page = await (await served.get(path)).text();
      const found = new RegExp(`<td[^>]*><a href="(${path}/[^"?]+)"`).exec(page)?.[1];
      expect(found, path).toBeDefined();
      return found ?? '';
    }),
  );
  const forms = await Promise.all(
    details.map(async (path) => {
      const page = await (await served.get(path)).text();
      return [...page.matchAll(new RegExp(`href="(${path}/[^"?]+)"`, 'g'))].map(([, form = '']) => form);
    }),
  );
  expect(await faultsOfPages(served, 'light', [...PATHS, ...details, ...forms.flat()], [200])).toEqual([]);
});

test('empty, narrow, dark and Portuguese', async () => {
  const served = await serveFor(await createOwner(sql));
  expect(await faultsOfPages(served, 'dark', LISTED, [200], 'main')).toEqual([]);
});

test('without access: each page names the required scope', async () => {
  const owner = await createOwner(sql, ['read:teams']);
  const served = await serveFor({ clientId: owner.clientId, clientSecret: owner.clientSecret });
  const some = ['/requests', '/records/leads', '/payments/invoices', '/access/keys', '/persons'];
  expect(await faultsOfPages(served, 'light', some, [403])).toEqual([]);
  for (const path of PATHS.filter((one) => !['/', '/reference', '/records/teams'].includes(one))) {
    const answer = await served.get(path);
    expect([path, answer.status]).toEqual([path, 403]);
    expect(await answer.text()).not.toContain('class="form"');
  }
});

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

test('by keyboard: the focus follows each action', async () => {
  const served = await serveFor(await createOwner(sql));
  const { page } = await openExamined({}, { ...looks.light, baseURL: served.url });
  const focus = () =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute('role'));
  await page.goto('/');
  await page.getByLabel('Code').fill(served.code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.goto('/gamification/tiers');
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  expect(await focus()).toBe('main');

  await page.getByRole('link', { name: 'Create tier' }).press('Enter');
  await page.waitForURL('**/new');
  expect(await focus()).toBe('field-name');
  await page.keyboard.type('Gold');
  await page.keyboard.press('Tab');
  await page.keyboard.type('many');
  await page.keyboard.press('Enter');
  await page.getByText('must be an integer').waitFor();
  expect(await focus()).toBe('field-min_points');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('1,000');
  await page.keyboard.press('Enter');
  await page.getByRole('status').waitFor();
  expect(await focus()).toBe('status');
  await page.getByRole('link', { name: 'Delete' }).press('Enter');
  await page.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.waitForURL('**/tiers?done=*');
  expect(await focus()).toBe('status');
});
