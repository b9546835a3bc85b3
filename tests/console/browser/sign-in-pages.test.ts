// The pages on which people sign in, in a browser, in both languages, and the foot of the console's pages.
import { expect, test } from 'vitest';
import { faultsOfPages, looks } from '../../support/clients/admin-pages.ts';
import { type Account, type AuthDouble, startAuthDouble } from '../../support/clients/auth-double.ts';
import { openConsole, useBrowser } from '../../support/clients/browser.ts';
import { answerSeller, boardOf, SELLER, TOKEN } from '../../support/clients/own-data.ts';
import { Browser, serveOnWeb } from '../../support/clients/served-sign-in.ts';

useBrowser();

const EMAIL = 'ana@acme.example';
const acme = { slug: 'acme', name: 'Acme', scopes: 'self read:standings read:leads' };

const startWith = async (account: Partial<Account>): Promise<AuthDouble> => {
  const double = await startAuthDouble();
  double.addAccount({ email: EMAIL, ...account });
  return double;
};

/** Faults of pages in both looks, for a browser with these cookies. */
async function faults(browser: Browser, url: string, paths: string[], status = 200): Promise<string[]> {
  const found: string[] = [];
  for (const look of Object.keys(looks) as (keyof typeof looks)[]) {
    const [name, value] = [...browser.cookies].find(([one]) => one !== 'placar-form') ?? [];
    found.push(...(await faultsOfPages({ url, cookie: `${name}=${value}` }, look, paths, { status })));
  }
  return found;
}

test('before signing in, no page has a fault', async () => {
  const double = await startWith({});
  const served = await serveOnWeb(double);
  const browser = new Browser(served);
  await browser.submit('/sign-in', '/sign-in/email', { email: EMAIL });
  expect(await faults(browser, served.url, ['/sign-in', '/sign-in?reason=ended', '/sign-in/email'])).toEqual(
    [],
  );
  const invited = new Browser(served);
  await invited.get('/sign-in/confirm?token_hash=x&type=invite');
  expect(await faults(invited, served.url, ['/sign-in/confirm'])).toEqual([]);
});

test('between signing in and a workspace, no page has a fault', async () => {
  const several = await startWith({ workspaces: [acme, { ...acme, slug: 'beta', name: 'Beta' }] });
  const served = await serveOnWeb(several);
  const browser = new Browser(served);
  await browser.signIn(EMAIL);
  expect(await faults(browser, served.url, ['/workspaces'])).toEqual([]);
  const nobody = await startWith({});
  const empty = await serveOnWeb(nobody);
  const stranger = new Browser(empty);
  await stranger.signIn(EMAIL);
  expect(await faults(stranger, empty.url, ['/workspaces'], 403)).toEqual([]);
  const strict = await startWith({ workspaces: [{ ...acme, needsMfa: true }] });
  const guarded = await serveOnWeb(strict);
  const person = new Browser(guarded);
  await person.signIn(EMAIL);
  expect(await faults(person, guarded.url, ['/sign-in/mfa'])).toEqual([]);
});

test('a person signs in and out in a real browser, on a phone', async () => {
  const double = await startWith({ workspaces: [acme, { ...acme, slug: 'beta', name: 'Beta' }] });
  const served = await serveOnWeb(double);
  const { page, complaints } = await openConsole({}, { ...looks.dark, baseURL: served.url });
  await page.goto('/records/leads#access_token=planted');
  expect(page.url()).not.toContain('planted');
  await page.getByLabel('Email').first().fill(EMAIL);
  await page.getByLabel('Senha').fill('right-password');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.getByRole('button', { name: 'Beta' }).click();
  await page.waitForURL('/records/leads');
  expect(await page.content()).toContain('Beta');
  await page.getByText('Menu').click();
  const links = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
  const areOnTop = await links.evaluateAll((all) =>
    all.map((link) => {
      const { x, y, width, height } = link.getBoundingClientRect();
      return link.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    }),
  );
  expect(areOnTop.length).toBeGreaterThan(2);
  expect(areOnTop).not.toContain(false);
  await page.getByRole('button', { name: 'Sair', exact: true }).click();
  await page.waitForURL(/\/sign-in\?reason=signed-out/);
  await page.goto('/records/leads');
  await page.waitForURL(/\/sign-in/);
  expect(complaints).toEqual([]);
});

test('the pages of a seller have no fault, with and without data', async () => {
  for (const isEmpty of [false, true]) {
    const double = await startWith({ workspaces: [{ ...acme, scopes: SELLER }] });
    answerSeller(double, { isEmpty });
    const served = await serveOnWeb(double);
    const browser = new Browser(served);
    await browser.signIn(EMAIL);
    const paths = [
      '/',
      '/standings',
      '/me/badges',
      '/me/challenges',
      '/me/missions',
      '/me/leads',
      '/me/deals',
    ];
    const more = isEmpty ? [] : ['/me/profile', '/me/profile/edit', '/me/deals/d1'];
    expect(await faults(browser, served.url, [...paths, ...more])).toEqual([]);
    expect(await faults(browser, served.url, ['/settings'], 403)).toEqual([]);
  }
});

test('a board fills a screen with ten names in large letters, without scrolling', async () => {
  const double = await startWith({});
  double.boards.set(TOKEN, boardOf(12));
  const served = await serveOnWeb(double);
  const { page, complaints } = await openConsole(
    {},
    { viewport: { width: 1920, height: 1080 }, baseURL: served.url },
  );
  await page.goto(`/board/${TOKEN}`);
  const measured = await page.evaluate(() => {
    const rows = [...document.querySelectorAll('li')];
    return {
      sizes: rows.map((row) => Number.parseFloat(getComputedStyle(row).fontSize)),
      bottom: rows.at(-1)?.getBoundingClientRect().bottom ?? 0,
      cut: rows.filter((row) => row.scrollHeight > row.clientHeight + 1).length,
      height: document.documentElement.scrollHeight,
    };
  });
  expect(measured.sizes).toHaveLength(10);
  expect(Math.min(...measured.sizes)).toBeGreaterThanOrEqual(0.05 * 1080);
  expect(measured.bottom).toBeGreaterThan(1000);
  expect(measured.height).toBe(1080);
  expect(measured.cut).toBe(0);
  expect(complaints).toEqual([]);
});
