// Static files of the console: assets, OpenAPI documents and Studio snippets.
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
  'console.js': [join(assetsFolder, 'console.js'), 'text/javascript; charset=utf-8'],
  'reference.js': [join(assetsFolder, 'reference.js'), 'text/javascript; charset=utf-8'],
  'icon.svg': [join(assetsFolder, 'icon.svg'), 'image/svg+xml'],
  'scalar.js': [scalar, 'text/javascript; charset=utf-8'],
};

/** Stylesheet parts in cascade order; rules for narrow screens come last. */
const STYLES = [
  ...['base', 'frame', 'parts', 'tables', 'forms'],
  ...['overview', 'work', 'standings', 'records', 'payments', 'payer', 'reference'],
  'narrow',
];

async function readStyles(): Promise<string> {
  const parts = STYLES.map((name) => readFile(join(assetsFolder, 'styles', `${name}.css`), 'utf8'));
  return (await Promise.all(parts)).join('\n');
}

/** `/console/<asset>`, `/openapi/<function>.json` and `/snippets/<name>.sql`. */
export function createFiles(url: string): Hono {
  const app = new Hono();
  app.get('/console/console.css', async (c) =>
    c.body(await readStyles(), 200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': 'no-cache',
    }),
  );
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
