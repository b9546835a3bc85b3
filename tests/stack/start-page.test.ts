// The page at the address that `npm start` prints.
import { readdirSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { functionNames } from '../../functions/manifest.ts';

const { base_url: baseUrl, ...rest } = inject('stack');

async function page(): Promise<string> {
  const answer = await fetch(baseUrl, { headers: { Accept: 'text/html' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8');
  return await answer.text();
}

const linksOf = (html: string) => Array.from(html.matchAll(/href="([^"]*)"/g), ([, link = '']) => link);

test('says what is there, and each of its links answers', async () => {
  const links = linksOf(await page());
  const snippets = readdirSync('supabase/snippets').map((name) => `/snippets/${name}`);
  const documents = readdirSync('docs/openapi').filter((name) => name.endsWith('.json'));
  expect(links).toEqual(
    expect.arrayContaining([
      ...functionNames.map((name) => `/functions/v1/${name}/health`),
      ...documents.map((name) => `/openapi/${name}`),
      ...snippets,
      '/mail',
      '/inbox',
    ]),
  );
  const statuses = await Promise.all(
    links.map(async (link) => [link, (await fetch(new URL(link, baseUrl))).status]),
  );
  expect(statuses).toEqual(links.map((link) => [link, 200]));
});

test('needs nothing from elsewhere, and shows no credentials', async () => {
  const html = await page();
  expect(html).not.toMatch(/<script|<link|<img|@import|url\(/);
  for (const secret of [rest.api_key, rest.client_secret, rest.database_url])
    expect(html).not.toContain(secret);
});

test('OpenAPI documents name the address of this stack', async () => {
  const document = await (await fetch(`${baseUrl}/openapi/v1.json`)).json();
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: `${baseUrl}/functions/v1`, description: 'Local stack' }]);
});

test.each([
  '/openapi/nothing.json',
  '/openapi/generate.ts',
  '/snippets/..%2Fseed.sql',
  '/snippets/nothing.sql',
])('%s is 404', async (path) => {
  expect((await fetch(baseUrl + path)).status).toBe(404);
});
