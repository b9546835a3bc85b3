// `placar console` from the bundle: its output, its pages, and how it ends.
import { createServer } from 'node:http';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { environmentOf, expectHidden, runCli, startCli, untilPrinted, useCli } from './run-cli.ts';

const sql = connectDatabase();
useCli();

/** Without the URL of a database: the console does not need one. */
const environment = (credentials: object) => {
  const { PLACAR_DATABASE_URL: _, ...env } = environmentOf(credentials);
  return env;
};

test('serves its pages, with styles from the bundle, until it is stopped', async () => {
  const credentials = await createCredentials(sql);
  const running = startCli(['console', '--port', '0', '--json', '--lang', 'pt-BR'], {
    env: environment(credentials),
  });
  const { url, code } = await untilPrinted(
    running,
    ([line]) => line as { url: string; code: string } | undefined,
  );
  const opened = await fetch(`${url}/session`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: url },
    body: new URLSearchParams({ code }),
  });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${url}/gamification/missions`, { headers: { cookie } })).text();
  expect(page).toContain('<h1>Missões</h1>');
  expect(await (await fetch(`${url}/console/console.css`)).text()).toContain('.main-nav');
  expect(await (await fetch(`${url}/console/console.js`)).text()).toContain('addEventListener');
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  expectHidden(ended, [credentials.apiKey, credentials.clientSecret]);
});

test('exits with 2 for missing settings and for a port in use', async () => {
  const credentials = await createCredentials(sql);
  expect(await runCli(['console', '--json'], { env: {} })).toMatchObject({ code: 2 });
  const none = await runCli(['console', '--url', inject('stack').base_url], { env: {} });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('PLACAR_CLIENT_ID') });
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const busy = await runCli(['console', '--port', port], { env: environment(credentials) });
  expect(busy).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') });
});

test('exits with 1 if the deployment does not respond or rejects the credentials', async () => {
  const credentials = await createCredentials(sql);
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const address = gone.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => gone.close(resolve));
  const away = { ...environment(credentials), PLACAR_URL: `http://127.0.0.1:${port}` };
  const unreachable = await runCli(['console', '--port', '0'], { env: away });
  expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') });
  const wrong = { ...environment(credentials), PLACAR_CLIENT_SECRET: 'not-the-secret' };
  const refused = await runCli(['console', '--port', '0'], { env: wrong });
  expect(refused.code).toBe(1);
  expectHidden(refused, ['not-the-secret']);
});
