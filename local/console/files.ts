// Static files of the local stack's console: the API reference's scripts, OpenAPI documents and Studio snippets.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';

const root = fileURLToPath(new URL('../..', import.meta.url));
const openApiFolder = join(root, 'docs', 'openapi');
const snippetsFolder = join(root, 'supabase', 'snippets');
const assetsFolder = fileURLToPath(new URL('assets', import.meta.url));

/** File names of the OpenAPI documents. */
export const described = readdirSync(openApiFolder).filter((file) => file.endsWith('.json'));
/** File names of the snippets. */
export const snippets = readdirSync(snippetsFolder).filter((file) => file.endsWith('.sql'));

// The package exports only its plugin, not this script.
const scalar = join(root, 'node_modules', '@scalar', 'fastify-api-reference', 'dist', 'js', 'standalone.js');

const ASSETS: Readonly<Record<string, [file: string, type: string]>> = {
  'reference.js': [join(assetsFolder, 'reference.js'), 'text/javascript; charset=utf-8'],
  'scalar.js': [scalar, 'text/javascript; charset=utf-8'],
};

/** `/console/<asset>`, `/openapi/<function>.json` and `/snippets/<name>.sql`. */
export function createFiles(url: string): Hono {
  const app = new Hono();
  app.get('/console/:file', async (c) => {
    const name = c.req.param('file');
    const [file, type] = (Object.hasOwn(ASSETS, name) && ASSETS[name]) || [];
    if (file === undefined || type === undefined) return c.notFound();
    return c.body(await readFile(file), 200, { 'Content-Type': type, 'Cache-Control': 'no-cache' });
  });
  app.get('/openapi/:file', async (c) => {
    const file = described.find((name) => name === c.req.param('file'));
    if (!file) return c.notFound();
    const document = JSON.parse(await readFile(join(openApiFolder, file), 'utf8'));
    return c.json({ ...document, servers: [{ url: `${url}/functions/v1`, description: 'Local stack' }] });
  });
  app.get('/snippets/:file', async (c) => {
    const file = snippets.find((name) => name === c.req.param('file'));
    return file ? c.text(await readFile(join(snippetsFolder, file), 'utf8')) : c.notFound();
  });
  return app;
}
