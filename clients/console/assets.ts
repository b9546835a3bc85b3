// Styles, script and icon of the console: read from this folder, or contained in the bundle of the command line.
import { readdirSync, readFileSync } from 'node:fs';
import { Hono } from 'hono';

/** Texts by path below `assets`. Set by the bundle. */
declare const BUNDLED_ASSETS: Readonly<Record<string, string>> | undefined;

const folder = new URL('assets/', import.meta.url);

/** All files below `assets`. */
export function readAssets(): Record<string, string> {
  const names = ['console.js', 'icon.svg'].concat(
    readdirSync(new URL('styles/', folder)).map((name) => `styles/${name}`),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
}

const readFresh = () => (typeof BUNDLED_ASSETS === 'undefined' ? readAssets() : BUNDLED_ASSETS);

/** Stylesheet parts in cascade order; rules for narrow screens come last. */
const STYLES = [
  ...['base', 'frame', 'parts', 'tables', 'forms', 'pages'],
  ...['overview', 'work', 'standings', 'records', 'payments', 'payer', 'sign-in', 'own', 'wall', 'reference'],
  'narrow',
];

/** `/console/console.css`, `/console/console.js` and `/console/icon.svg`. */
export function assetRoutes(): Hono {
  const app = new Hono();
  const serve = (path: string, type: string, read: () => string) =>
    app.get(path, (c) => c.body(read(), 200, { 'Content-Type': type, 'Cache-Control': 'no-cache' }));
  serve('/console/console.css', 'text/css; charset=utf-8', () => {
    const all = readFresh();
    return STYLES.map((name) => all[`styles/${name}.css`] ?? '').join('\n');
  });
  serve('/console/console.js', 'text/javascript; charset=utf-8', () => readFresh()['console.js'] ?? '');
  serve('/console/icon.svg', 'image/svg+xml', () => readFresh()['icon.svg'] ?? '');
  return app;
}
