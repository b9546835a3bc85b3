// What protects the console on the web: host names, origins, form tokens, targets, headers, wrong sign-ins.
import { expect, test } from 'vitest';
import { AttemptsByAddress } from '../../../clients/console/sign-in/attempts-by-address.ts';
import { startAuthDouble } from '../../support/clients/auth-double.ts';
import { Browser, serveOnWeb } from '../../support/clients/served-sign-in.ts';

const EMAIL = 'ana@acme.example';

async function startWithAna() {
  const double = await startAuthDouble();
  double.addAccount({
    email: EMAIL,
    workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self read:leads write:leads' }],
  });
  return double;
}

const tokenIn = (text: string) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';

test('only the host name of the public URL is served, and the health check by any', async () => {
  const served = await serveOnWeb(await startWithAna(), {
    publicUrl: new URL('https://console.example.com'),
  });
  const browser = new Browser(served);
  expect((await browser.get('/sign-in')).status).toBe(200);
  const foreign = { Host: 'attacker.example', 'X-Forwarded-Host': 'console.example.com' };
  for (const host of ['attacker.example', 'console.example.com.attacker.example', `127.0.0.1:${served.port}`])
    for (const path of ['/sign-in', '/', '/console/console.js', '/sign-in/callback?code=1'])
      expect([host, path, (await browser.get(path, { ...foreign, Host: host })).status]).toEqual([
        host,
        path,
        403,
      ]);
  expect(await browser.get('/healthz', foreign)).toMatchObject({ status: 200, text: '' });
});

test('forms need the token of the browser and come from a page of the console', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  const right = { email: EMAIL, password: 'right-password' };
  const token = tokenIn((await browser.get('/sign-in')).text);
  const refused = async (values: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await browser.post('/sign-in', { ...right, ...values }, headers);
    expect(answer.status).toBe(403);
    expect(answer.cookies.some((line) => /^placar=/.test(line))).toBe(false);
  };
  await refused({});
  await refused({ _csrf: 'x'.repeat(32) });
  await refused({ _csrf: token }, { Origin: 'https://attacker.example' });
  await refused({ _csrf: token }, { Origin: 'null' });
  await refused({ _csrf: token }, { Origin: '' });
  await refused({ _csrf: token }, { Cookie: '' });
  expect(double.count('POST /auth')).toBe(0);
  expect((await browser.post('/sign-in', { ...right, _csrf: token })).status).toBe(303);
});

test('forms of the session need its token, not the one from before signing in', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  const before = tokenIn((await browser.get('/sign-in')).text);
  await browser.signIn(EMAIL);
  const token = tokenIn((await browser.get('/')).text);
  for (const [path, values] of [
    ['/sign-out', {}],
    ['/workspaces', { tenant: 'acme' }],
    ['/records/leads/new', { name: 'L' }],
    ['/console/language', { language: 'pt-BR' }],
  ] as const) {
    for (const csrf of [undefined, before])
      expect([path, (await browser.post(path, { ...values, ...(csrf && { _csrf: csrf }) })).status]).toEqual([
        path,
        403,
      ]);
    const foreign = { Origin: 'https://attacker.example' };
    expect((await browser.post(path, { ...values, _csrf: token }, foreign)).status).toBe(403);
  }
  expect(double.count('POST /auth/v1/logout')).toBe(0);
  expect(double.count('POST /functions/v1/v1/leads')).toBe(0);
  expect((await browser.post('/sign-out', { _csrf: token })).status).toBe(303);
});

test.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example',
  'https:evil.example',
  'javascript:alert(1)',
  'evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  '/é',
  '',
])('next=%j leads to the start page', async (next) => {
  const browser = new Browser(await serveOnWeb(await startWithAna()));
  const page = `/sign-in?${new URLSearchParams({ next })}`;
  expect((await browser.signIn(EMAIL, 'right-password', page)).location).toBe('/');
  // Also if the form, or the address of someone who is signed in, has it.
  expect((await browser.get(page)).location).toBe('/');
  const other = new Browser(await serveOnWeb(await startWithAna()));
  const values = { email: EMAIL, password: 'right-password', next };
  expect((await other.submit('/sign-in', '/sign-in', values)).location).toBe('/');
});

test('next keeps the query of a page', async () => {
  const browser = new Browser(await serveOnWeb(await startWithAna()));
  const page = `/sign-in?${new URLSearchParams({ next: '/records/leads?status=new&page=2' })}`;
  expect((await browser.signIn(EMAIL, 'right-password', page)).location).toBe(
    '/records/leads?status=new&page=2',
  );
});

test.each(['https://console.example.com', undefined])('headers of every page, at %s', async (publicUrl) => {
  const served = await serveOnWeb(await startWithAna(), {
    ...(publicUrl && { publicUrl: new URL(publicUrl) }),
  });
  const browser = new Browser(served);
  const [signIn, foreign] = [
    await browser.get('/sign-in'),
    await browser.get('/', { Host: 'attacker.example' }),
  ];
  await browser.signIn(EMAIL);
  const pages = [signIn, foreign];
  for (const path of ['/', '/records/leads', '/settings', '/nothing', '/workspaces'])
    pages.push(await browser.get(path));
  for (const { headers } of pages) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    });
    expect(headers['strict-transport-security']).toBe(publicUrl && 'max-age=31536000');
  }
  for (const { headers } of pages.filter((page) => page !== foreign))
    expect(headers['cache-control']).toBe('no-store');
});

test('the eleventh wrong sign-in of a minute from one address waits, and Auth is not asked', async () => {
  const double = await startWithAna();
  const clock = { ms: Date.now(), now: () => clock.ms };
  const served = await serveOnWeb(double, { clock, addressHeader: 'X-Client' });
  const browser = new Browser(served);
  const token = tokenIn((await browser.get('/sign-in')).text);
  const enter = (password: string, address: string) =>
    browser.copy().post('/sign-in', { _csrf: token, email: EMAIL, password }, { 'X-Client': address });
  // All at once, as a program does.
  const wrong = await Promise.all(Array.from({ length: 10 }, () => enter('wrong', '203.0.113.7')));
  expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([403]));
  const asked = double.count('POST /auth/v1/token');
  const waiting = await enter('right-password', '203.0.113.7');
  expect(waiting.status).toBe(429);
  expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(0);
  expect(double.count('POST /auth/v1/token')).toBe(asked);
  // A browser cannot choose its address: proxies append to the header.
  expect((await enter('right-password', '198.51.100.1, 203.0.113.7')).status).toBe(429);
  expect((await enter('right-password', '198.51.100.1')).status).toBe(303);
  clock.ms += 60_000;
  expect((await enter('right-password', '203.0.113.7')).status).toBe(303);
});

test('without the header, the address is that of the socket', async () => {
  const browser = new Browser(await serveOnWeb(await startWithAna()));
  for (let count = 0; count < 10; count++) expect((await browser.signIn(EMAIL, 'wrong')).status).toBe(403);
  const token = tokenIn((await browser.get('/sign-in')).text);
  const values = { _csrf: token, email: EMAIL, password: 'right-password' };
  for (const header of ['X-Forwarded-For', 'Fly-Client-IP'])
    expect((await browser.post('/sign-in', values, { [header]: '198.51.100.9' })).status).toBe(429);
});

test('right sign-ins and outages do not count, addresses of one /64 count together', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  for (let count = 0; count < 12; count++) {
    browser.cookies.clear();
    expect((await browser.signIn(EMAIL)).status).toBe(303);
  }
  const wrong = new AttemptsByAddress({ now: () => 0 });
  for (let count = 0; count < 10; count++) wrong.begin(`2001:db8:1:2::${count + 1}`);
  expect(wrong.begin('2001:db8:1:2:ffff::1')).toEqual({ waitSeconds: 60 });
  expect(wrong.begin('2001:db8:1:3::1')).toHaveProperty('succeeded');
});

test('sign-ins at the same time do not count either once they succeed', () => {
  const wrong = new AttemptsByAddress({ now: () => 0 });
  for (let round = 0; round < 3; round++) {
    const begun = Array.from({ length: 6 }, () => wrong.begin('203.0.113.7'));
    for (const attempt of begun) expect(attempt).toHaveProperty('succeeded');
    for (const attempt of begun) if ('succeeded' in attempt) attempt.succeeded();
  }
});

test('a form that would fill the memory is refused while it arrives', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  const large = await browser.post('/sign-in', { password: 'x'.repeat(2 ** 21) });
  expect([large.status, double.count('POST /auth')]).toEqual([413, 0]);
});

test('a reason that the console does not give is ignored', async () => {
  const browser = new Browser(await serveOnWeb(await startWithAna()));
  for (const reason of ['toString', '__proto__', '<b>'])
    expect([reason, (await browser.get(`/sign-in?reason=${reason}`)).status]).toEqual([reason, 200]);
});

test('a failed sign-in says one sentence, whatever was wrong', async () => {
  const double = await startWithAna();
  const served = await serveOnWeb(double);
  const texts = new Set<string>();
  for (const fault of [undefined, 'user_banned', 'email_not_confirmed', 'email_provider_disabled']) {
    double.passwordFault = fault;
    for (const email of [EMAIL, 'nobody@acme.example']) {
      const { text, status } = await new Browser(served).signIn(email, 'wrong');
      expect(status).toBe(403);
      texts.add(text.replaceAll(email, '').replaceAll(/name="_csrf" value="[^"]*"/g, ''));
    }
  }
  expect(texts.size).toBe(1);
  expect([...texts][0]).toContain('This did not work.');
  double.passwordFault = 'captcha_failed';
  expect((await new Browser(served).signIn(EMAIL)).text).toContain('CAPTCHA');
});

test('while Auth is unreachable, the pages say so', async () => {
  const double = await startWithAna();
  const browser = new Browser(await serveOnWeb(double));
  const token = tokenIn((await browser.get('/sign-in')).text);
  double.isDown = true;
  const answer = await browser.post('/sign-in', { _csrf: token, email: EMAIL, password: 'right-password' });
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBeDefined();
});
