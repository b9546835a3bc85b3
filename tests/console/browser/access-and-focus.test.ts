// The console for deployments: each page without access, and the focus after each action.
import { expect, test } from 'vitest';
import { pages, resources } from '../../../clients/console/pages.ts';
import { faultsOfPages, looks } from '../../support/clients/admin-pages.ts';
import { openExamined, useBrowser } from '../../support/clients/browser.ts';
import { createOwner, serveFor } from '../../support/clients/served-console.ts';
import { connectDatabase } from '../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

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

test('without access: each page names the required scope', async () => {
  const owner = await createOwner(sql, ['read:teams']);
  const served = await serveFor({ clientId: owner.clientId, clientSecret: owner.clientSecret });
  const some = ['/requests', '/records/leads', '/payments/invoices', '/access/keys', '/persons'];
  expect(await faultsOfPages(served, 'light', some, { status: 403 })).toEqual([]);
  for (const path of PATHS.filter((one) => !['/', '/reference', '/records/teams'].includes(one))) {
    const answer = await served.get(path);
    expect([path, answer.status]).toEqual([path, 403]);
    expect(await answer.text()).not.toContain('class="form"');
  }
});

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
