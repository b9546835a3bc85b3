// `placar console --sign-in` from the bundle: its settings, its exits, and that it needs no credentials.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { PUBLISHABLE_KEY, startAuthDouble } from '../../support/clients/auth-double.ts';
import { Browser } from '../../support/clients/served-sign-in.ts';
import { runCli, startCli, untilPrinted, useCli } from './run-cli.ts';

useCli();

const SIGN_IN = ['console', '--sign-in', '--json'];
const KEY = Buffer.alloc(32, 7).toString('base64');

const portOf = (url: string) => Number(new URL(url).port);

test('serves the console by flags, until it is stopped', async () => {
  const double = await startAuthDouble();
  double.addAccount({
    email: 'ana@acme.example',
    workspaces: [{ slug: 'acme', name: 'Acme', scopes: 'self' }],
  });
  const flags = ['--url', double.url, '--publishable-key', PUBLISHABLE_KEY, '--listen', '127.0.0.1:0'];
  const running = startCli([...SIGN_IN, ...flags, '--lang', 'pt-BR']);
  const { url } = await untilPrinted(running, ([line]) => line as { url: string } | undefined);
  const browser = new Browser({ url, port: portOf(url), close: async () => {} });
  expect((await browser.get('/sign-in')).text).toContain('<h1>Entrar</h1>');
  expect((await browser.get('/console/console.css')).text).toContain('.main-nav');
  expect((await browser.signIn('ana@acme.example')).status).toBe(303);
  expect((await browser.get('/')).text).toContain('ana@acme.example');
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('SESSION_KEY');
});

test('takes its settings from the environment', async () => {
  const double = await startAuthDouble();
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const address = busy.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => busy.close(resolve));
  const env = {
    PLACAR_URL: `${double.url}/functions/v1`,
    PLACAR_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
    LISTEN: `127.0.0.1:${port}`,
    PUBLIC_URL: 'https://console.example.com',
    SESSION_KEY: KEY,
    CLIENT_ADDRESS_HEADER: 'X-Client',
  };
  const running = startCli(SIGN_IN, { env });
  const printed = await untilPrinted(running, ([line]) => line as { url: string } | undefined);
  expect(printed.url).toBe('https://console.example.com');
  const browser = new Browser({ url: printed.url, port: Number(port), close: async () => {} });
  expect((await browser.get('/sign-in')).headers['strict-transport-security']).toBe('max-age=31536000');
  running.kill('SIGTERM');
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  expect(ended.stdout + ended.stderr).not.toContain(KEY);
});

const SETTINGS = { PLACAR_URL: 'http://127.0.0.1:9', PLACAR_PUBLISHABLE_KEY: PUBLISHABLE_KEY };
const serviceRole = `e30.${Buffer.from('{"role":"service_role"}').toString('base64url')}.x`;

test.each([
  ['a client secret', [], { PLACAR_CLIENT_SECRET: 'secret-of-client' }, 'PLACAR_CLIENT_SECRET'],
  ['an API key', [], { PLACAR_API_KEY: 'sk_live_x' }, 'PLACAR_API_KEY'],
  ['no publishable key', [], { PLACAR_PUBLISHABLE_KEY: undefined }, 'PLACAR_PUBLISHABLE_KEY'],
  ['no URL', [], { PLACAR_URL: undefined }, 'PLACAR_URL'],
  ['a secret key', ['--publishable-key', 'sb_secret_x'], {}, 'secret key'],
  ['the key of the service role', ['--publishable-key', serviceRole], {}, 'secret key'],
  ['http on the web', ['--public-url', 'http://console.example.com'], {}, 'public URL'],
  ['another scheme', ['--public-url', 'ftp://127.0.0.1'], {}, 'public URL'],
  ['a public URL with a path', ['--public-url', 'https://example.com/console'], {}, 'public URL'],
  ['an address without a port', ['--listen', '127.0.0.1'], {}, '--listen'],
  ['a short session key', [], { SESSION_KEY: 'c2hvcnQ=' }, 'SESSION_KEY'],
  ['a header that is none', [], { CLIENT_ADDRESS_HEADER: 'a b' }, 'CLIENT_ADDRESS_HEADER'],
  ['--port', ['--port', '4651'], {}, '--listen'],
])('exits with 2 for %s', async (_, flags, env, named) => {
  const ended = await runCli([...SIGN_IN, ...flags], { env: { ...SETTINGS, ...env } });
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(named) });
  expect(ended.stdout + ended.stderr).not.toContain('secret-of-client');
});

test.each([
  ['--listen', '127.0.0.1:0'],
  ['--public-url', 'https://console.example.com'],
  ['--publishable-key', 'x'],
])('exits with 2 for %s without --sign-in', async (...flags) => {
  const env = { PLACAR_URL: 'http://127.0.0.1:9', PLACAR_API_KEY: 'sk_live_x' };
  const ended = await runCli(['console', ...flags], { env });
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--sign-in') });
});

test('exits with 1 if Auth or the deployment does not answer, or does not let people sign in', async () => {
  const double = await startAuthDouble();
  const env = { ...SETTINGS, PLACAR_URL: double.url, LISTEN: '127.0.0.1:0' };
  double.isDown = true;
  expect(await runCli(SIGN_IN, { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('Auth') });
  double.isDown = false;
  const wrongKey = { ...env, PLACAR_PUBLISHABLE_KEY: 'sb_publishable_other' };
  expect(await runCli(SIGN_IN, { env: wrongKey })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('publishable key'),
  });
  double.grants = ['client_credentials'];
  expect(await runCli(SIGN_IN, { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not let people sign in'),
  });
});

test('exits with 2 if the port is in use', async () => {
  const double = await startAuthDouble();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const LISTEN = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const ended = await runCli(SIGN_IN, { env: { ...SETTINGS, PLACAR_URL: double.url, LISTEN } });
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--listen') });
});
