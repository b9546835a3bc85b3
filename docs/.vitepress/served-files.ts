// Files that pages load in addition to Vite's output: OpenAPI documents and the program that renders them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vitepress';
import { openapiDocuments, root } from './repository.ts';

const reference = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
const files = new Map([
  ['reference/scalar.js', join(reference, '../js/standalone.js')],
  ...openapiDocuments.map((name): [string, string] => [
    `openapi/${name}.json`,
    join(root, `docs/openapi/${name}.json`),
  ]),
]);

/** Serves the files in development, and copies them into the built site. */
export const servedFiles: Plugin = {
  name: 'served-files',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const path = files.get((request.url ?? '').slice(1).split('?')[0] ?? '');
      if (path === undefined) return next();
      response.setHeader('Content-Type', path.endsWith('.js') ? 'text/javascript' : 'application/json');
      response.end(readFileSync(path));
    });
  },
  generateBundle({ format }) {
    // The second build, for server-side rendering, needs no files.
    if (this.meta.watchMode || format !== 'es') return;
    for (const [fileName, path] of files) {
      this.emitFile({ type: 'asset', fileName, source: readFileSync(path) });
    }
  },
};
