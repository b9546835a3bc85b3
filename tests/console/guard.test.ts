// Access to the console: the person at this machine, but no other page in their browser.
import { request } from 'node:http';
import { describe, expect, inject, test } from 'vitest';

const { base_url: baseUrl, ...info } = inject('stack');
const { port } = new URL(baseUrl);

/** A request with another `Host` header, which `fetch` does not allow. */
const statusFor = (host: string, path = '/', method = 'GET', url = `${baseUrl}${path}`) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { method, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });

const PATHS = ['/', '/requests', '/payments/invoices', '/reference', '/pay/sbx_0000000000000000'];

test.each(PATHS)('%s only accepts host names of this machine', async (path) => {
  const known = path.startsWith('/pay/') ? 404 : 200;
  expect(await statusFor(`127.0.0.1:${port}`, path)).toBe(known);
  expect(await statusFor(`localhost:${port}`, path)).toBe(known);
  for (const host of [`attacker.example:${port}`, 'attacker.example', `127.0.0.1.attacker.example:${port}`])
    expect([host, await statusFor(host, path)]).toEqual([host, 403]);
});

test.each([
  `${baseUrl}/mail`,
  `${baseUrl}/inbox`,
  `${baseUrl}/auth/v1/health`,
  new URL('/control/accounts', inject('env').ASAAS_URL).href,
  new URL('/control/accounts', inject('env').STRIPE_URL).href,
])('%s answers no other host name', async (url) => {
  const { host: own, port: ownPort } = new URL(url);
  for (const host of ['attacker.example', `attacker.example:${ownPort}`, '127.0.0.1.attacker.example'])
    expect(await statusFor(host, '', 'GET', url)).toBe(403);
  expect(await statusFor(own, '', 'GET', url)).not.toBe(403);
});

const ACTIONS = [
  '/events/deliveries/whd_x/replay',
  '/jobs/x/retry',
  '/console/tenant',
  '/pay/sbx_0000000000000000/pay',
];

describe.each(ACTIONS)('POST %s', (path) => {
  const post = (headers: Record<string, string>) =>
    fetch(baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ tenant: 'x' }),
    });

  test.each([
    ['from another site', { Origin: 'https://attacker.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['from another port of this machine', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
    ['from a page without an origin', { Origin: 'null' }],
    ['from nowhere', {}],
  ])('%s is refused', async (_, headers) => {
    expect((await post(headers)).status).toBe(403);
  });

  test('from the console is accepted', async () => {
    expect((await post({ Origin: baseUrl })).status).not.toBe(403);
  });
});

test('pages run only their own scripts, and load nothing from other hosts', async () => {
  const answer = await fetch(`${baseUrl}/`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
  expect(await answer.text()).not.toMatch(
    /<script(?! src="\/console\/)|https?:\/\/(?!127\.0\.0\.1)[^"\s<]*"/,
  );
});

test('only the API page shows credentials', async () => {
  const read = async (path: string) => (await fetch(baseUrl + path)).text();
  for (const path of ['/', '/requests', '/events', '/jobs', '/payments/invoices', '/standings'])
    for (const secret of [info.api_key, info.client_secret, info.database_url])
      expect(await read(path)).not.toContain(secret);
  expect(await read('/reference')).toContain(info.api_key);
  expect(await read('/reference')).not.toContain(info.database_url);
});

test('descriptions of the API name the address of this stack', async () => {
  const document = await (await fetch(`${baseUrl}/openapi/v1.json`)).json();
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: `${baseUrl}/functions/v1`, description: 'Local stack' }]);
});

test.each([
  '/openapi/nothing.json',
  '/openapi/generate.ts',
  '/snippets/..%2Fseed.sql',
  '/snippets/nothing.sql',
  '/console/..%2Fapp.tsx',
  '/console/constructor',
  '/requests/nothing',
  '/events/nothing',
  '/payments/invoices/nothing',
])('%s is 404', async (path) => {
  expect((await fetch(baseUrl + path)).status).toBe(404);
});
