// A fake of Supabase's management API that supports `supabase functions deploy` and records the uploads.
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/** The `metadata` part of an upload. */
interface FunctionMetadata {
  name: string;
  entrypoint_path: string;
  import_map_path: string;
  verify_jwt: boolean;
  static_patterns: string[];
}

/** An uploaded function. */
export interface Upload {
  metadata: FunctionMetadata;
  /** Content by path, relative to the root of the project. */
  files: Map<string, string>;
}

interface ManagementApi {
  url: string;
  /** All distinct `Authorization` headers. */
  authorizations: Set<string>;
  /** Uploads by function name. */
  uploads: Map<string, Upload>;
  /** Names of the functions that were activated after all uploads. */
  live: string[];
}

/** Listens on a free port until the end of the test. */
export async function startManagementApi(projectRef: string): Promise<ManagementApi> {
  const api: ManagementApi = { url: '', authorizations: new Set(), uploads: new Map(), live: [] };
  const base = `/v1/projects/${projectRef}`;

  async function answer(request: Request): Promise<Response> {
    api.authorizations.add(request.headers.get('authorization') ?? '');
    const { pathname, searchParams } = new URL(request.url);
    const route = `${request.method} ${pathname}`;
    if (route === `GET ${base}`) return Response.json({ ref: projectRef, name: 'stand-in' });
    if (route === `GET ${base}/functions`) return Response.json([]);
    if (route === `POST ${base}/functions/deploy`) {
      const slug = searchParams.get('slug') ?? '';
      api.uploads.set(slug, await readUpload(request));
      return Response.json(described(slug), { status: 201 });
    }
    if (route === `PUT ${base}/functions`) {
      const list = (await request.json()) as { slug: string }[];
      api.live = list.map(({ slug }) => slug);
      return Response.json({ functions: api.live.map(described) });
    }
    return Response.json({ message: `no such route: ${route}` }, { status: 404 });
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = 'GET', url = '/', headers } = incoming;
    const request = new Request(`${api.url}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(method !== 'GET' && { body: Buffer.concat(chunks) }),
    });
    const response = await answer(request);
    outgoing.writeHead(response.status, { 'content-type': 'application/json' });
    outgoing.end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no port');
  api.url = `http://127.0.0.1:${address.port}`;
  return api;
}

async function readUpload(request: Request): Promise<Upload> {
  // Undici keeps folders in the file name of a part.
  const form = await request.formData();
  const files = new Map<string, string>();
  for (const file of form.getAll('file')) {
    if (typeof file === 'string') throw new Error('a part named file is no file');
    files.set(file.name, await file.text());
  }
  const metadata = form.get('metadata');
  const text = typeof metadata === 'string' ? metadata : ((await metadata?.text()) ?? '');
  return { metadata: JSON.parse(text) as FunctionMetadata, files };
}

const described = (slug: string) => ({
  id: slug,
  slug,
  name: slug,
  version: 1,
  status: 'ACTIVE',
  created_at: 0,
  updated_at: 0,
});
