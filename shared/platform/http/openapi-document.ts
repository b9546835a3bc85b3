// GET /openapi.json: the function's OpenAPI document with the URLs of this deployment. It needs no authentication.
import { SITE } from '../documentation.ts';
import type { Env } from '../env.ts';
import { type App, addRoute } from './app.ts';

/** The server URL in the documents of the repository. */
const LOCAL_URL = 'http://127.0.0.1:54321/functions/v1';

/** Addresses of pages, but not identifiers of problem types. */
const SITE_PAGE = new RegExp(`${SITE}/(?!problems/)`, 'g');

interface ServedDocument {
  /** The full path, including the function's name. */
  path: string;
  /** Imports the document, which is too large to load on startup. */
  load(): Promise<{ default: object }>;
}

export function addOpenApiDocument(
  app: App,
  { FUNCTIONS_URL: functionsUrl, DOCS_URL: docsUrl }: Env<'address' | 'app'>,
  { path, load }: ServedDocument,
): void {
  let text: Promise<string> | undefined;
  addRoute(app, 'get', path, async (c) => {
    text ??= load().then(({ default: document }) =>
      JSON.stringify({ ...document, servers: [{ url: functionsUrl }] })
        .replaceAll(LOCAL_URL, functionsUrl)
        .replaceAll(SITE_PAGE, `${docsUrl}/`),
    );
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' };
    return c.body(await text, 200, headers);
  });
}
