// Access to a session: only with the code from the terminal, and only from pages of the console.
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { createOwner, serveFor } from '../support/clients/served-console.ts';
import { connectDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

/** `fetch` does not allow setting the `Host` header. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('another host, no cookie, a wrong code, a foreign origin and a missing token are rejected', async () => {
  const served = await serveFor(await createOwner(sql));
  expect((await served.get('/records/leads')).status).toBe(200);
  expect(await statusFor(served.url, 'attacker.example')).toBe(403);
  expect((await served.get('/records/leads', { Cookie: '' })).status).toBe(403);
  const post = (path: string, headers: Record<string, string>, body: Record<string, string>) =>
    fetch(served.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams(body),
    });
  expect((await post('/session', { Origin: served.url }, { code: 'x' })).status).toBe(403);
  expect((await post('/session', { Origin: 'https://attacker.example' }, { code: served.code })).status).toBe(
    403,
  );
  const own = { Cookie: served.cookie, Origin: served.url };
  expect((await post('/gamification/missions/new', own, { name: 'M', points: '1' })).status).toBe(403);
  const foreign = await served
    .get('/gamification/missions/new')
    .then(async (answer) => /name="_csrf" value="([^"]+)"/.exec(await answer.text())?.[1] ?? '');
  const stolen = { ...own, Origin: 'http://127.0.0.1:1' };
  expect(
    (await post('/gamification/missions/new', stolen, { _csrf: foreign, name: 'M', points: '1' })).status,
  ).toBe(403);
  expect(await (await served.get('/gamification/missions')).text()).toContain('No missions yet');
});

test('the cookie is valid only for this process and hidden from scripts; pages load nothing from other hosts', async () => {
  const served = await serveFor(await createOwner(sql));
  const opened = await fetch(`${served.url}/session`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: served.url },
    body: new URLSearchParams({ code: served.code }),
  });
  expect(opened.headers.get('set-cookie')).toMatch(
    /^placar_console_\d+=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const policy = (await served.get('/')).headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
});

test('five wrong codes stop the console', async () => {
  const served = await serveFor(await createOwner(sql));
  const enter = (code: string) =>
    fetch(`${served.url}/session`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: served.url },
      body: new URLSearchParams({ code }),
    });
  for (let count = 0; count < 5; count++) expect((await enter('nothing')).status).toBe(403);
  await waitFor(() => served.locked);
  await expect(enter(served.code)).rejects.toThrow();
});
