// The ways to sign in: by email, with a provider, with SSO, by invitation, with a second factor, to one of several workspaces.
import { expect, test } from 'vitest';
import { type Account, EMAIL_CODE, startAuthDouble, TOTP_CODE } from '../../support/clients/auth-double.ts';
import { Browser, serveOnWeb } from '../../support/clients/served-sign-in.ts';

const EMAIL = 'ana@acme.example';

async function start(account: Partial<Account> = {}) {
  const double = await startAuthDouble();
  double.addAccount({
    email: EMAIL,
    workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self read:leads' }],
    ...account,
  });
  const served = await serveOnWeb(double);
  return { double, served, browser: new Browser(served) };
}

const callback = (code: string) => `/sign-in/callback?code=${code}`;

test('by email: the link works in the browser that asked, and in no other', async () => {
  const { double, served, browser } = await start();
  const sent = await browser.submit('/sign-in?next=%2Frecords%2Fleads', '/sign-in/email', { email: EMAIL });
  expect(sent).toMatchObject({ status: 303, location: '/sign-in/email?next=%2Frecords%2Fleads' });
  const asked = new URL(
    double.requests.find((request) => request.startsWith('POST /auth/v1/otp'))?.split(' ')[1] ?? '',
    served.url,
  );
  expect(asked.searchParams.get('redirect_to')).toBe(`${served.url}/sign-in/callback`);
  const [{ code = '' } = {}] = double.emails;
  const other = await new Browser(served).get(callback(code));
  expect(other.status).toBe(403);
  expect(other.text).toContain('another browser');
  expect(await browser.get(callback(code))).toMatchObject({ status: 303, location: '/records/leads' });
  expect((await browser.get('/')).text).toContain(EMAIL);
});

test('a link of someone else signs nobody in', async () => {
  const { double, browser } = await start();
  double.addAccount({ email: 'eve@acme.example' });
  await browser.submit('/sign-in', '/sign-in/email', { email: EMAIL });
  // The code of an attacker's own sign-in has another challenge.
  const planted = await browser.get(callback(double.codeFor('eve@acme.example', 'challenge-of-eve')));
  expect(planted.status).toBe(403);
  expect(browser.cookies.has('placar')).toBe(false);
});

test('by email: the code is typed into the page that asked, with and without spaces', async () => {
  const { browser } = await start();
  await browser.submit('/sign-in', '/sign-in/email', { email: EMAIL });
  const wrong = await browser.submit('/sign-in/email', '/sign-in/code', { code: '000000' });
  expect(wrong.status).toBe(403);
  expect(wrong.text).toContain('This did not work.');
  const spaced = `${EMAIL_CODE.slice(0, 3)} ${EMAIL_CODE.slice(3)} `;
  const signed = await browser.submit('/sign-in/email', '/sign-in/code', { code: spaced });
  expect(signed).toMatchObject({ status: 303, location: '/' });
  expect(browser.cookies.has('placar-flow')).toBe(false);
});

test('by email: known and unknown addresses get the same page', async () => {
  const { double, served } = await start();
  const pages = await Promise.all(
    [EMAIL, 'nobody@acme.example'].map(async (email) => {
      const browser = new Browser(served);
      const sent = await browser.submit('/sign-in', '/sign-in/email', { email });
      const { text } = await browser.get('/sign-in/email');
      return [sent.status, sent.location, text.replaceAll(email, '').replaceAll(/value="[\w-]{32}"/g, '')];
    }),
  );
  expect(pages[0]).toEqual(pages[1]);
  expect(double.emails.map(({ email }) => email)).toEqual([EMAIL]);
});

test('by email: an address that asks for more than thirty emails in a minute waits, and others do not', async () => {
  const double = await startAuthDouble();
  double.addAccount({ email: EMAIL, workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self' }] });
  const served = await serveOnWeb(double, { addressHeader: 'X-Client' });
  const askFrom = async (address: string, email: string) => {
    const browser = new Browser(served);
    const [, token = ''] = /name="_csrf" value="([^"]*)"/.exec((await browser.get('/sign-in')).text) ?? [];
    return browser.post('/sign-in/email', { _csrf: token, email }, { 'X-Client': address });
  };
  for (let count = 0; count < 30; count++)
    expect((await askFrom('203.0.113.7', count % 2 ? EMAIL : 'nobody@acme.example')).status).toBe(303);
  const asked = double.count('POST /auth/v1/otp');
  for (const email of [EMAIL, 'nobody@acme.example']) {
    const stopped = await askFrom('203.0.113.7', email);
    expect([stopped.status, Number(stopped.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(stopped.text).toContain('Too many attempts.');
  }
  expect(double.count('POST /auth/v1/otp')).toBe(asked);
  expect((await askFrom('198.51.100.1', EMAIL)).status).toBe(303);
});

test('wrong codes count as wrong sign-ins', async () => {
  const { browser } = await start();
  await browser.submit('/sign-in', '/sign-in/email', { email: EMAIL });
  for (let count = 0; count < 10; count++)
    expect((await browser.submit('/sign-in/email', '/sign-in/code', { code: '1' })).status).toBe(403);
  expect((await browser.submit('/sign-in/email', '/sign-in/code', { code: EMAIL_CODE })).status).toBe(429);
});

test('a sign-in that began more than ten minutes ago is over', async () => {
  const double = await startAuthDouble();
  double.addAccount({ email: EMAIL });
  const clock = { ms: Date.now(), now: () => clock.ms };
  const browser = new Browser(await serveOnWeb(double, { clock }));
  const sent = await browser.submit('/sign-in', '/sign-in/email', { email: EMAIL });
  expect(sent.cookies.find((line) => line.startsWith('placar-flow='))).toMatch(
    /; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  clock.ms += 10 * 60_000 + 1000;
  expect((await browser.get(callback(double.emails[0]?.code ?? ''))).status).toBe(403);
});

test('the cookie of a sign-in that has begun is no session', async () => {
  const { browser } = await start();
  await browser.submit('/sign-in', '/sign-in/email', { email: EMAIL });
  browser.cookies.set('placar', browser.cookies.get('placar-flow') ?? '');
  expect((await browser.get('/records/leads')).status).toBe(302);
});

test('with a provider that is on: a link, PKCE, and back', async () => {
  const { double, browser } = await start();
  const { text } = await browser.get('/sign-in?next=%2Frecords%2Fleads');
  expect(text).toContain('href="/sign-in/with/google?next=%2Frecords%2Fleads"');
  expect(text).not.toContain('/sign-in/with/github');
  expect(await browser.get('/sign-in/with/github')).toMatchObject({ status: 302, location: '/sign-in' });
  const gone = await browser.get('/sign-in/with/google?next=%2Frecords%2Fleads');
  const target = new URL(gone.location);
  expect(target.origin).toBe(double.url);
  expect(target.searchParams.get('code_challenge_method')).toBe('s256');
  const back = await fetch(target, { redirect: 'manual' });
  const { pathname, search } = new URL(back.headers.get('location') ?? '');
  expect(await browser.get(pathname + search)).toMatchObject({ status: 303, location: '/records/leads' });
  expect((await browser.get('/sign-in/callback?error=access_denied')).status).toBe(403);
});

test('with SSO: the page has a link to the identity provider of the domain', async () => {
  const { double, browser } = await start();
  const found = await browser.submit('/sign-in', '/sign-in/sso', { domain: 'Ana@ACME.example' });
  expect(found.status).toBe(200);
  expect(found.text).toContain('href="https://idp.acme.example/saml?request=1"');
  expect((await browser.submit('/sign-in', '/sign-in/sso', { domain: 'other.example' })).status).toBe(403);
  double.hasSso = false;
  const without = new Browser(await serveOnWeb(double));
  expect((await without.get('/sign-in')).text).not.toContain('/sign-in/sso');
});

test('an invitation does nothing on GET, signs in with a button, and asks for a password', async () => {
  const { double, browser } = await start();
  double.links.set('hash-of-link', EMAIL);
  const opened = await browser.get('/sign-in/confirm?token_hash=hash-of-link&type=invite');
  expect(opened).toMatchObject({ status: 303, location: '/sign-in/confirm' });
  const page = await browser.get('/sign-in/confirm');
  expect(page.text).toContain('Accept the invitation');
  expect(page.text).not.toContain('hash-of-link');
  expect(double.count('POST /auth/v1/verify')).toBe(0);
  const confirmed = await browser.submit('/sign-in/confirm', '/sign-in/confirm', {});
  expect(confirmed).toMatchObject({ status: 303, location: '/sign-in/password' });
  expect((await browser.get('/records/leads')).location).toContain('/sign-in/password');
  const weak = await browser.submit('/sign-in/password', '/sign-in/password', { password: 'short' });
  expect(weak).toMatchObject({ status: 400, text: expect.stringContaining('at least 8 characters') });
  const saved = await browser.submit('/sign-in/password', '/sign-in/password', {
    password: 'a new password',
  });
  expect(saved).toMatchObject({ status: 303, location: '/' });
  expect((await new Browser(await serveOnWeb(double)).signIn(EMAIL, 'a new password')).status).toBe(303);
});

test('the password may be skipped, and a link works once', async () => {
  const { double, served, browser } = await start();
  double.links.set('hash-of-link', EMAIL);
  await browser.get('/sign-in/confirm?token_hash=hash-of-link&type=recovery');
  await browser.submit('/sign-in/confirm', '/sign-in/confirm', {});
  const { text } = await browser.get('/sign-in/password');
  const token = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
  const skipped = await browser.post('/sign-in/password', { _csrf: token, skip: 'yes' });
  expect(skipped).toMatchObject({ status: 303, location: '/' });
  expect(double.count('PUT /auth/v1/user')).toBe(0);
  const again = new Browser(served);
  await again.get('/sign-in/confirm?token_hash=hash-of-link&type=recovery');
  expect((await again.submit('/sign-in/confirm', '/sign-in/confirm', {})).status).toBe(403);
  expect((await again.get('/sign-in/confirm?token_hash=x&type=email_change')).location).toBe('/sign-in');
});

test('an account with a second factor is asked for it, in a new session', async () => {
  const { browser } = await start({ factors: [{ id: 'f1', factor_type: 'totp', status: 'verified' }] });
  const signed = await browser.signIn(EMAIL, 'right-password', '/sign-in?next=%2Frecords%2Fleads');
  expect(signed.location).toBe('/sign-in/mfa?next=%2Frecords%2Fleads');
  for (const path of ['/records/leads', '/workspaces', '/sign-in/password'])
    expect((await browser.get(path)).location).toContain('/sign-in/mfa');
  const before = browser.copy();
  const page = '/sign-in/mfa?next=%2Frecords%2Fleads';
  expect((await browser.submit(page, '/sign-in/mfa', { code: '000000' })).status).toBe(403);
  const entered = await browser.submit(page, '/sign-in/mfa', { code: TOTP_CODE });
  expect(entered).toMatchObject({ status: 303, location: '/records/leads' });
  expect((await browser.get('/records/leads')).status).toBe(200);
  expect((await before.get('/records/leads')).location).toContain('/sign-in?');
});

test('a workspace that requires a second factor has one set up', async () => {
  const { browser } = await start({
    workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self read:leads', needsMfa: true }],
  });
  expect((await browser.signIn(EMAIL)).location).toBe('/sign-in/mfa');
  const begun = await browser.submit('/sign-in/mfa', '/sign-in/mfa/set-up', {});
  expect(begun).toMatchObject({ status: 303, location: '/sign-in/mfa' });
  const page = await browser.get('/sign-in/mfa');
  expect(page.text).toContain('JBSWY3DP');
  expect(page.text).toContain('src="data:image/png');
  expect(await browser.submit('/sign-in/mfa', '/sign-in/mfa', { code: TOTP_CODE })).toMatchObject({
    status: 303,
    location: '/',
  });
  expect((await browser.get('/records/leads')).status).toBe(200);
});

test('of several workspaces one is chosen; a foreign one cannot be', async () => {
  const { browser } = await start({
    workspaces: ['acme', 'beta'].map((slug) => ({ slug, name: `The ${slug}`, scopes: 'self read:leads' })),
  });
  const signed = await browser.signIn(EMAIL, 'right-password', '/sign-in?next=%2Frecords%2Fleads');
  expect(signed.location).toBe('/workspaces?next=%2Frecords%2Fleads');
  const foreign = await browser.submit('/workspaces', '/workspaces', { tenant: 'gamma' });
  expect(foreign.status).toBe(400);
  const page = '/workspaces?next=%2Frecords%2Fleads';
  expect(await browser.submit(page, '/workspaces', { tenant: 'beta' })).toMatchObject({
    status: 303,
    location: '/records/leads',
  });
  expect((await browser.get('/records/leads')).text).toContain('The beta');
  await browser.submit('/workspaces', '/workspaces', { tenant: 'acme' });
  expect((await browser.get('/records/leads')).text).toContain('The acme');
});

test('the pages are in Portuguese for browsers that prefer it', async () => {
  const { browser } = await start();
  const page = await browser.get('/sign-in', { 'Accept-Language': 'pt-BR' });
  expect(page.text).toContain('<h1>Entrar</h1>');
  expect(page.text).toContain('lang="pt-BR"');
});
