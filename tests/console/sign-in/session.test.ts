// The session of a person: its cookie, how long it lasts, and how it ends.
import { expect, test } from 'vitest';
import { createSessionKey } from '../../../clients/console/sign-in/sealed.ts';
import { type AuthDouble, startAuthDouble } from '../../support/clients/auth-double.ts';
import { Browser, serveOnWeb } from '../../support/clients/served-sign-in.ts';

const EMAIL = 'ana@acme.example';
const HOUR_MS = 3_600_000;

async function startWithAna(): Promise<AuthDouble> {
  const double = await startAuthDouble();
  double.addAccount({
    email: EMAIL,
    workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self read:standings read:leads' }],
  });
  return double;
}

const clockAt = (startMs: number) => {
  const clock = { ms: startMs, now: () => clock.ms };
  return clock;
};

test('a person signs in, sees who and where they are, and opens a page of records', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  expect(await browser.get('/records/leads')).toMatchObject({
    status: 302,
    location: '/sign-in?next=%2Frecords%2Fleads',
  });
  const signed = await browser.signIn(EMAIL, 'right-password', '/sign-in?next=%2Frecords%2Fleads');
  expect(signed).toMatchObject({ status: 303, location: '/records/leads' });
  const page = await browser.get('/records/leads');
  expect(page.status).toBe(200);
  expect(page.text).toContain('<h1>Leads</h1>');
  expect(page.text).toContain('Acme');
  expect(page.text).toContain(`Signed in as ${EMAIL}.`);
});

test('the navigation has the open pages only, and a closed page says so', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  const { text } = await browser.get('/');
  expect(text).toContain('href="/records/leads"');
  for (const path of ['/records/deals', '/access/keys', '/payments/invoices', '/settings'])
    expect(text).not.toContain(`href="${path}"`);
  const invoices = await browser.get('/payments/invoices');
  expect(invoices.status).toBe(403);
  expect(invoices.text).toContain('<code>read:payments</code>');
  expect(double.count('GET /functions/v1/payments')).toBe(0);
});

test('read:payments opens the pages of payments, without the actions of manage:payments', async () => {
  const double = await startAuthDouble();
  double.addAccount({
    email: EMAIL,
    workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self read:payments' }],
  });
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  expect((await browser.get('/payments/invoices')).status).toBe(200);
  expect(double.count('GET /functions/v1/payments/invoices')).toBe(1);
  const refused = await browser.get('/payments/invoices/inv_1/cancel');
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('<code>manage:payments</code>');
});

test('on https the cookie is of this host only, hidden from scripts, and has no token that can be read', async () => {
  const double = await startWithAna();
  const served = await serveOnWeb(double, { publicUrl: new URL('https://console.example.com') });
  const signed = await new Browser(served).signIn(EMAIL);
  const line = signed.cookies.find((cookie) => cookie.startsWith('__Host-placar=')) ?? '';
  expect(line).toMatch(/^__Host-placar=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const [session] = double.sessions.values();
  const value = line.split(';')[0] ?? '';
  const plain = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  for (const secret of [EMAIL, session?.refreshTokens[0] ?? ''])
    expect([value, ...plain].join(' ')).not.toContain(secret);
});

test('on http of this machine the cookie is without Secure', async () => {
  const double = await startWithAna();
  const signed = await new Browser(await serveOnWeb(double)).signIn(EMAIL);
  expect(signed.cookies.find((cookie) => cookie.startsWith('placar='))).toMatch(
    /^placar=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
  );
});

test('signing in makes a new session, and never takes one on that was sent before', async () => {
  const double = await startWithAna();
  double.addAccount({
    email: 'eve@acme.example',
    workspaces: [{ slug: 'eve', name: 'Eve', scopes: 'self' }],
  });
  const served = await serveOnWeb(double);
  const eve = new Browser(served);
  await eve.signIn('eve@acme.example');
  const victim = new Browser(served);
  victim.cookies.set('placar-form', eve.cookies.get('placar-form') ?? '');
  // The session of someone else, and one that nobody has made.
  for (const planted of [eve.cookies.get('placar') ?? '', 'planted']) {
    await victim.post('/sign-in', {});
    victim.cookies.set('placar', planted);
    const page = await victim.get('/sign-in');
    const token = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    if (planted === 'planted') {
      await victim.post('/sign-in', { _csrf: token, email: EMAIL, password: 'right-password', next: '/' });
      expect(victim.cookies.get('placar')).not.toBe(planted);
      expect((await victim.get('/')).text).toContain(`Signed in as ${EMAIL}.`);
    } else expect(page).toMatchObject({ status: 302, location: '/' });
  }
  const [first, second] = [new Browser(served), new Browser(served)];
  await first.signIn(EMAIL);
  await second.signIn(EMAIL);
  expect(first.cookies.get('placar')).not.toBe(second.cookies.get('placar'));
});

test.each(['sign out', 'sign out everywhere'])(
  'after %s a copy of the cookie is worth nothing',
  async (how) => {
    const double = await startWithAna();
    const key = createSessionKey();
    const served = await serveOnWeb(double, { sessionKey: key });
    const [browser, other] = [new Browser(served), new Browser(served)];
    await browser.signIn(EMAIL);
    await other.signIn(EMAIL);
    const stolen = browser.copy();
    expect((await stolen.get('/')).status).toBe(200);
    const everywhere = how === 'sign out everywhere';
    const left = await browser.submit('/', '/sign-out', everywhere ? { everywhere: 'yes' } : {});
    expect(left).toMatchObject({ status: 303, location: '/sign-in?reason=signed-out' });
    expect(browser.cookies.has('placar')).toBe(false);
    expect(await stolen.get('/')).toMatchObject({ status: 302, location: '/sign-in?reason=ended' });
    // The other session of the account.
    const after = await other.get('/records/leads');
    expect(after.status).toBe(everywhere ? 303 : 200);
    // Another process with the same key does not know that the session has ended; Auth does.
    const next = await serveOnWeb(double, { sessionKey: key });
    const again = new Browser(next);
    for (const [name, value] of stolen.cookies) again.cookies.set(name, value);
    expect(await again.get('/records/leads')).toMatchObject({
      status: 303,
      location: '/sign-in?reason=ended',
    });
  },
);

test('signing out while Auth is unreachable ends the session here, and says that Auth is unreachable', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  const { text } = await browser.get('/');
  const stolen = browser.copy();
  double.isDown = true;
  const token = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
  expect((await browser.post('/sign-out', { _csrf: token })).status).toBe(503);
  double.isDown = false;
  expect(browser.cookies.has('placar')).toBe(false);
  expect((await stolen.get('/')).status).toBe(302);
});

test('a session ends after 12 idle hours', async () => {
  const clock = clockAt(Date.now());
  const browser = new Browser(await serveOnWeb(await startWithAna(), { clock }));
  await browser.signIn(EMAIL);
  clock.ms += 11.9 * HOUR_MS;
  expect((await browser.get('/')).status).toBe(200);
  clock.ms += 11.9 * HOUR_MS;
  expect((await browser.get('/')).status).toBe(200);
  clock.ms += 12 * HOUR_MS + 1000;
  expect(await browser.get('/')).toMatchObject({ status: 302, location: '/sign-in?reason=ended' });
});

test('pages that refresh themselves do not keep a session alive', async () => {
  const clock = clockAt(Date.now());
  const browser = new Browser(await serveOnWeb(await startWithAna(), { clock }));
  await browser.signIn(EMAIL);
  for (let hours = 2; hours <= 10; hours += 2) {
    clock.ms += 2 * HOUR_MS;
    expect((await browser.get('/', { 'Sec-Fetch-Dest': 'empty' })).status).toBe(200);
  }
  clock.ms += 2 * HOUR_MS + 1000;
  expect((await browser.get('/')).status).toBe(302);
});

test('a session ends after 7 days, whatever the person does', async () => {
  const clock = clockAt(Date.now());
  const browser = new Browser(await serveOnWeb(await startWithAna(), { clock }));
  await browser.signIn(EMAIL);
  for (let hours = 8; hours < 7 * 24; hours += 8) {
    clock.ms += 8 * HOUR_MS;
    expect((await browser.get('/')).status, `after ${hours} hours`).toBe(200);
  }
  clock.ms += 8 * HOUR_MS + 1000;
  expect((await browser.get('/')).status).toBe(302);
});

test.each([true, false])('a restart with the same SESSION_KEY: %s', async (isSame) => {
  const double = await startWithAna();
  const sessionKey = createSessionKey();
  const before = await serveOnWeb(double, { sessionKey });
  const browser = new Browser(before);
  await browser.signIn(EMAIL);
  await before.close();
  const listen = { host: '127.0.0.1', port: before.port };
  await serveOnWeb(double, { listen, ...(isSame && { sessionKey }) });
  const page = await browser.get('/records/leads');
  if (isSame) expect(page).toMatchObject({ status: 200, text: expect.stringContaining(EMAIL) });
  else expect(page).toMatchObject({ status: 302, location: expect.stringContaining('reason=ended') });
});

test.each([{}, { 'Sec-Fetch-Dest': 'empty' }])(
  'a refresh token that Auth has replaced is kept in the cookie: %j',
  async (headers: Record<string, string>) => {
    const double = await startWithAna();
    const [clock, sessionKey] = [clockAt(Date.now()), createSessionKey()];
    const before = await serveOnWeb(double, { clock, sessionKey });
    const browser = new Browser(before);
    await browser.signIn(EMAIL);
    for (let count = 0; count < 3; count++) {
      clock.ms += HOUR_MS;
      expect((await browser.get('/', headers)).status).toBe(200);
    }
    const [session] = double.sessions.values();
    expect(session?.refreshTokens).toHaveLength(4);
    await before.close();
    await serveOnWeb(double, { clock, sessionKey, listen: { host: '127.0.0.1', port: before.port } });
    expect((await browser.get('/')).status).toBe(200);
  },
);

test('concurrent pages share one exchange', async () => {
  const double = await startWithAna();
  const clock = clockAt(Date.now());
  const browser = new Browser(await serveOnWeb(double, { clock }));
  await browser.signIn(EMAIL);
  expect(double.count('POST /functions/v1/oauth/token')).toBe(1);
  clock.ms += HOUR_MS;
  await Promise.all(['/', '/records/leads', '/reference'].map((path) => browser.copy().get(path)));
  expect(double.count('POST /functions/v1/oauth/token')).toBe(2);
  expect(double.count('POST /auth/v1/token?grant_type=refresh_token')).toBe(1);
});

test('a 401 of the API leads to one new exchange', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  double.apiTokens.clear();
  expect((await browser.get('/records/leads')).status).toBe(200);
  expect(double.count('POST /functions/v1/oauth/token')).toBe(2);
});

test('if the API rejects the new token too, the person is signed out with the reason', async () => {
  const double = await startWithAna();
  double.api = (_, c) => c.json({ error: { code: 'unauthorized', message: 'No' } }, 401);
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  const page = await browser.get('/records/leads');
  expect(page).toMatchObject({ status: 303, location: '/sign-in?reason=access-ended' });
  expect(double.count('POST /functions/v1/oauth/token')).toBe(2);
  expect((await browser.get('/sign-in?reason=access-ended')).text).toContain('Your access has ended');
});

test('who loses a workspace chooses among those that are left', async () => {
  const double = await startAuthDouble();
  const workspaces = ['acme', 'beta', 'gamma'].map((slug) => ({
    slug,
    name: slug,
    scopes: 'self read:leads',
  }));
  const account = double.addAccount({ email: EMAIL, workspaces });
  const browser = new Browser(await serveOnWeb(double));
  expect((await browser.signIn(EMAIL)).location).toBe('/workspaces');
  await browser.submit('/workspaces', '/workspaces', { tenant: 'acme' });
  expect((await browser.get('/records/leads')).text).toContain('href="/workspaces"');
  account.workspaces = workspaces.slice(1);
  double.apiTokens.clear();
  expect(await browser.get('/records/leads')).toMatchObject({ status: 303, location: '/workspaces' });
  const list = await browser.get('/workspaces');
  expect(list.text).toContain('value="beta"');
  expect(list.text).not.toContain('value="acme"');
  account.workspaces = [];
  expect(await browser.get('/workspaces')).toMatchObject({
    status: 403,
    text: expect.stringContaining('Nobody has given this account access'),
  });
});
