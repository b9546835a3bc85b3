// The console on the web for the people of the demo tenant, with the emulator of Auth and the real functions.
import { expect, inject, test } from 'vitest';
import { Browser, serveOnWeb } from '../support/clients/served-sign-in.ts';

const { auth_url: url, publishable_key: publishableKey, people } = inject('stack');
const personOf = (name: string) => {
  const person = people.find(({ email }) => email.startsWith(name));
  if (!person) throw new Error(`The demo has no ${name}.`);
  return person;
};

async function signedIn(name: string) {
  const { email, password } = personOf(name);
  const browser = new Browser(await serveOnWeb({ url }, { publishableKey }));
  expect(await browser.signIn(email, password)).toMatchObject({ status: 303, location: '/' });
  return browser;
}

/** Paths of the navigation. */
const pathsIn = (page: string) =>
  [...(/<nav class="main-nav"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/href="([^"]+)"/g)].map(
    ([, path = '']) => path,
  );

test.each([
  ['olga', ['/', '/requests', '/records/leads', '/payments/invoices', '/access/keys', '/settings'], []],
  ['felipe', ['/', '/payments/invoices'], ['/records/leads', '/access/keys', '/settings', '/requests']],
  ['marta', ['/', '/records/leads', '/payments/invoices'], ['/access/keys', '/requests']],
  ['ana', ['/'], ['/records/leads', '/payments/invoices', '/access/keys', '/settings']],
])('%s sees the pages that their access opens, and each loads', async (name, open, closed) => {
  const browser = await signedIn(name);
  const { text } = await browser.get('/');
  const paths = pathsIn(text);
  for (const path of open) expect(paths).toContain(path);
  for (const path of closed) {
    expect(paths).not.toContain(path);
    expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
  }
  for (const path of paths) {
    const page = await browser.get(path);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.text).toContain(personOf(name).email);
  }
});

test('after signing out everywhere, a copy of the cookie opens nothing', async () => {
  const browser = await signedIn('vera');
  const copy = browser.copy();
  expect((await copy.get('/')).status).toBe(200);
  expect((await browser.submit('/', '/sign-out', { everywhere: 'yes' })).status).toBe(303);
  expect((await copy.get('/')).status).toBe(302);
});
