// GET /openapi.json: the function's OpenAPI document with the URL of this deployment. It needs no authentication.
import { type App, addRoute } from './app.ts';

/** The server URL in the documents of the repository. */
const LOCAL_URL = 'http://127.0.0.1:54321/functions/v1';

export interface ServedDocument {
  /** The full path, including the function's name. */
  path: string;
  /** Imports the document, which is too large to load on startup. */
  load(): Promise<{ default: object }>;
}

export function addOpenApiDocument(app: App, functionsUrl: string, { path, load }: ServedDocument): void {
  let text: Promise<string> | undefined;
  addRoute(app, 'get', path, async (c) => {
    text ??= load().then(({ default: document }) =>
      JSON.stringify({ ...document, servers: [{ url: functionsUrl }] }).replaceAll(LOCAL_URL, functionsUrl),
    );
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' };
    return c.body(await text, 200, headers);
  });
}
