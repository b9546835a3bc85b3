// Files beside Vite's output: OpenAPI documents, the program that renders them, and the Postman collection.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vitepress';
import { postmanCollection } from './postman.ts';
import { openapiDocuments, root } from './repository.ts';

const reference = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
const read = (path: string) => () => readFileSync(path);
const files = new Map<string, () => Buffer | string>([
  ['reference/scalar.js', read(join(reference, '../js/standalone.js'))],
  ['placar.postman_collection.json', () => JSON.stringify(postmanCollection(), null, 2)],
  ...openapiDocuments.map((name): [string, () => Buffer] => [
    `openapi/${name}.json`,
    read(join(root, `docs/openapi/${name}.json`)),
  ]),
]);

/** Serves the files in development, and copies them into the built site. */
export const servedFiles: Plugin = {
  name: 'served-files',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const source = files.get((request.url ?? '').slice(1).split('?')[0] ?? '');
      if (source === undefined) return next();
      response.setHeader(
        'Content-Type',
        (request.url ?? '').split('?')[0]?.endsWith('.js') ? 'text/javascript' : 'application/json',
      );
      response.end(source());
    });
  },
  generateBundle({ format }) {
    // The second build, for server-side rendering, needs no files.
    if (this.meta.watchMode || format !== 'es') return;
    for (const [fileName, source] of files) {
      this.emitFile({ type: 'asset', fileName, source: source() });
    }
  },
};
