// Serves the built documentation as a web server would.
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Serves a folder: `/page` is `page.html`, `/folder/` is its `index.html`. */
export async function serveSite(folder: string): Promise<{ url: string; stop(): void }> {
  const isFile = async (path: string) => (await stat(path).catch(() => undefined))?.isFile() ?? false;
  const server = createServer(async (request, response) => {
    const path = join(folder, normalize(decodeURI(new URL(request.url ?? '/', 'http://site').pathname)));
    for (const candidate of [path, `${path}.html`, join(path, 'index.html')]) {
      if (!(await isFile(candidate))) continue;
      response.setHeader('Content-Type', types[extname(candidate)] ?? 'application/octet-stream');
      return response.end(await readFile(candidate));
    }
    response.statusCode = 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}
