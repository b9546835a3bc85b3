// The bucket of a project: its list comes from the database, which is faster than the API and complete; files are read and written through
// the Storage API.
import type postgres from 'postgres';
import { wait } from '../../core/wait.ts';
import { CliError, usageError } from '../exit-codes.ts';
import { secretKeyOf } from '../project-file.ts';
import type { FileContent, FileStorage, ListedFile } from './files.ts';

export const BUCKET = 'payment-documents';
const FILES_PER_PAGE = 1000;
const TIMEOUT_MS = 60_000;
const MAX_TRIES = 4;
const FIRST_WAIT_MS = 500;

export interface ProjectStorage {
  SUPABASE_URL: string;
  SUPABASE_SECRET_KEYS: string;
}

export function projectBucket(sql: postgres.Sql, settings: ProjectStorage): FileStorage {
  const request = createRequest(settings);
  let hasBucket = false;
  const upload = (name: string, { bytes, contentType }: FileContent, signal: AbortSignal) =>
    request('POST', `/object/${BUCKET}/${encodePath(name)}`, signal, {
      headers: { 'content-type': contentType, 'x-upsert': 'true', 'cache-control': 'max-age=3600' },
      // A copy, because the type of a view may be that of shared memory.
      body: new Uint8Array(bytes),
    });

  return {
    list: (prefix) => listObjects(sql, prefix),
    async read(name, signal) {
      const response = await request('GET', `/object/${BUCKET}/${encodePath(name)}`, signal);
      if (await isMissing(response)) return undefined;
      await expectOk(response, name);
      const contentType = response.headers.get('content-type') ?? 'application/octet-stream';
      return { bytes: new Uint8Array(await response.arrayBuffer()), contentType };
    },
    async write(name, content, _version, signal) {
      if (!hasBucket) await createBucket(request, signal);
      hasBucket = true;
      await expectOk(await upload(name, content, signal), name);
    },
    async remove(name, signal) {
      const body = JSON.stringify({ prefixes: [name] });
      const headers = { 'content-type': 'application/json' };
      await expectOk(await request('DELETE', `/object/${BUCKET}`, signal, { headers, body }), name);
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

async function* listObjects(sql: postgres.Sql, prefix: string): AsyncGenerator<ListedFile> {
  for (let last = ''; ; ) {
    const page = await sql<ListedFile[]>`
      select name collate "C" as name, coalesce((metadata ->> 'size')::double precision, 0) as size,
             coalesce(metadata ->> 'eTag', '') as version
      from storage.objects
      where bucket_id = ${BUCKET} and starts_with(name, ${prefix}) and name collate "C" > ${last}
      order by name collate "C" limit ${FILES_PER_PAGE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < FILES_PER_PAGE) return;
    last = end.name;
  }
}

type Request = (
  method: string,
  path: string,
  signal: AbortSignal,
  init?: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> },
) => Promise<Response>;

/** Sends requests with the secret key. Repeats those that were rejected temporarily or got no response; all of them may be repeated. */
function createRequest({ SUPABASE_URL: url, SUPABASE_SECRET_KEYS: keys }: ProjectStorage): Request {
  const key = secretKeyOf(keys);
  const base = new URL(url);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname);
  if (base.protocol !== 'https:' && !isLocal) throw usageError('SUPABASE_URL must begin with https://.');
  return async (method, path, signal, init) => {
    for (let tries = 1; ; tries++) {
      const sent = fetch(`${base.origin}/storage/v1${path}`, {
        method,
        ...init,
        headers: { ...init?.headers, apikey: key, authorization: `Bearer ${key}` },
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const response = await sent.catch((error: unknown) => {
        signal.throwIfAborted();
        if (tries >= MAX_TRIES)
          throw new CliError(`Storage at ${base.host} does not respond: ${String(error)}`);
      });
      const isTemporary = !response || response.status === 429 || response.status >= 500;
      if (!isTemporary || (response && tries >= MAX_TRIES)) return response;
      await response?.body?.cancel();
      await wait(FIRST_WAIT_MS * 2 ** (tries - 1), signal);
    }
  };
}

/** Names come from a database. Segments such as `..` would lead to another bucket. */
function encodePath(name: string): string {
  const segments = name.split('/');
  if (segments.some((one) => ['', '.', '..'].includes(one)))
    throw new CliError(`${name} cannot be the name of a file.`);
  return segments.map(encodeURIComponent).join('/');
}

/** Storage responds with 400 and puts the actual status into the body. */
async function statusOf(response: Response): Promise<{ status: string; message: string }> {
  const text = await response.clone().text();
  try {
    const { statusCode, message } = JSON.parse(text);
    return { status: String(statusCode ?? response.status), message: String(message ?? text) };
  } catch {
    return { status: String(response.status), message: text.slice(0, 200) };
  }
}

const isMissing = async (response: Response) => !response.ok && (await statusOf(response)).status === '404';

async function expectOk(response: Response, name: string): Promise<void> {
  if (response.ok) return;
  const { status, message } = await statusOf(response);
  throw new CliError(`Storage rejected ${name}: ${status} ${message}`);
}

async function createBucket(request: Request, signal: AbortSignal): Promise<void> {
  const response = await request('POST', '/bucket', signal, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: BUCKET, name: BUCKET, public: false }),
  });
  if (response.ok || (await statusOf(response)).status === '409') return;
  await expectOk(response, `the bucket ${BUCKET}`);
}
