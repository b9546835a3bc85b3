import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createStorage } from '../../local/emulators/storage/index.ts';
import {
  createSupabaseClient,
  type PlatformDatabase,
  serveApp,
  startPlatformDatabase,
} from './platform-database.ts';

const SECRET_KEY = 'sb_secret_of_the_test';
const FOLDER = mkdtempSync(join(tmpdir(), 'storage-test-'));

let database: PlatformDatabase;
let server: Awaited<ReturnType<typeof serveApp>>;
let storage: SupabaseClient['storage'];

beforeAll(async () => {
  database = await startPlatformDatabase();
  const gateway = new Hono();
  gateway.route(
    '/storage/v1',
    createStorage({
      sql: database.sql,
      dir: join(FOLDER, 'files'),
      secretKeys: [SECRET_KEY],
      signingSecret: 'a secret that signs addresses, 32 bytes',
    }),
  );
  server = await serveApp(gateway);
  storage = createSupabaseClient(server.url, SECRET_KEY).storage;
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await server?.close();
  await database?.stop();
  rmSync(FOLDER, { recursive: true });
});

async function createBucket() {
  const id = randomUUID();
  const { error } = await storage.createBucket(id, { public: false });
  if (error) throw error;
  return { id, bucket: storage.from(id) };
}

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/storage/v1${path}`, { headers: { authorization: `Bearer ${SECRET_KEY}` }, ...init });

test('returns a file with its bytes and type', async () => {
  const { id, bucket } = await createBucket();
  const bytes = Buffer.from([0, 255, 13, 10, 195, 40]);
  const uploaded = await bucket.upload('2026/11/file (1).pdf', bytes, { contentType: 'application/pdf' });
  expect(uploaded.data).toMatchObject({
    path: '2026/11/file (1).pdf',
    fullPath: `${id}/2026/11/file (1).pdf`,
  });
  expect(uploaded.data?.id).toMatch(/^[0-9a-f-]{36}$/);
  const { data: blob } = await bucket.download('2026/11/file (1).pdf');
  expect(blob?.type).toBe('application/pdf');
  expect(Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(bytes);
});

test('only an upsert replaces a file, and the old file is deleted', async () => {
  const { bucket } = await createBucket();
  const files = () => readdirSync(join(FOLDER, 'files')).length;
  await bucket.upload('a.txt', 'one');
  const before = files();
  expect((await bucket.upload('a.txt', 'two')).error).toMatchObject({ status: 400, statusCode: '409' });
  expect(await (await bucket.download('a.txt')).data?.text()).toBe('one');
  expect((await bucket.upload('a.txt', 'three', { upsert: true })).error).toBeNull();
  expect(await (await bucket.download('a.txt')).data?.text()).toBe('three');
  expect(files()).toBe(before);
});

test('of concurrent first uploads, one succeeds', async () => {
  const { bucket } = await createBucket();
  const results = await Promise.all(['1', '2', '3', '4'].map((text) => bucket.upload('once.txt', text)));
  expect(results.filter(({ error }) => error === null)).toHaveLength(1);
});

test('of concurrent upserts, the last one stays and no other file is left', async () => {
  const { bucket } = await createBucket();
  const before = readdirSync(join(FOLDER, 'files')).length;
  const names = Array.from({ length: 10 }, (_, index) => `${index}.txt`);
  const uploads = names.flatMap((name) =>
    ['1', '2', '3', '4'].map((text) => bucket.upload(name, text, { upsert: true })),
  );
  expect((await Promise.all(uploads)).every(({ error }) => error === null)).toBe(true);
  expect(readdirSync(join(FOLDER, 'files'))).toHaveLength(before + names.length);
  expect(await (await bucket.download('0.txt')).data?.text()).toMatch(/^[1-4]$/);
});

test('a missing file is a 404 inside a 400', async () => {
  const { id, bucket } = await createBucket();
  const missing = await send(`/object/${id}/none.txt`);
  expect([missing.status, await missing.json()]).toEqual([
    400,
    { statusCode: '404', error: 'not_found', message: 'Object not found' },
  ]);
  expect((await bucket.download('none.txt')).error).toBeTruthy();
  expect((await bucket.createSignedUrl('none.txt', 60)).error).toMatchObject({ statusCode: '404' });
  expect((await storage.from(randomUUID()).upload('a.txt', 'a')).error).toMatchObject({
    statusCode: '404',
    message: 'Bucket not found',
  });
});

test('a signed URL serves one object until it expires', async () => {
  const { bucket } = await createBucket();
  await bucket.upload('dir/a b.txt', 'signed', { contentType: 'text/plain' });
  await bucket.upload('other.txt', 'other');
  const { data } = await bucket.createSignedUrl('dir/a b.txt', 60);
  const url = new URL(data?.signedUrl ?? '');
  expect(url.href).toMatch(`${server.url}/storage/v1/object/sign/`);
  expect(await (await fetch(url)).text()).toBe('signed');

  const elsewhere = new URL(url.href.replace('dir/a%20b.txt', 'other.txt'));
  expect(await (await fetch(elsewhere)).json()).toMatchObject({ error: 'InvalidSignature' });
  const forged = await fetch(url.href.replace(/\.[^.]+$/, '.AAAA'));
  expect([forged.status, await forged.json()]).toMatchObject([400, { error: 'InvalidJWT' }]);

  const signedAt = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: signedAt + 55_000 });
  expect((await fetch(url)).status).toBe(200);
  vi.setSystemTime(signedAt + 61_000);
  expect(await (await fetch(url)).json()).toMatchObject({ statusCode: '400', error: 'InvalidJWT' });
});

test('without the secret key, nothing else is served', async () => {
  const { id, bucket } = await createBucket();
  await bucket.upload('a.txt', 'a');
  const stranger = createSupabaseClient(server.url, 'sb_publishable_of_the_test').storage;
  for (const { error } of [
    await stranger.from(id).upload('b.txt', 'b'),
    await stranger.from(id).createSignedUrl('a.txt', 60),
    await stranger.createBucket(randomUUID(), { public: false }),
  ]) {
    expect(error).toMatchObject({ status: 400, statusCode: '403' });
  }
  expect((await fetch(`${server.url}/storage/v1/object/${id}/a.txt`)).status).toBe(400);
  expect((await bucket.download('a.txt')).error).toBeNull();
});

test('creates a bucket once', async () => {
  const { id } = await createBucket();
  expect((await storage.createBucket(id, { public: false })).error).toMatchObject({ statusCode: '409' });
});

test.each([
  '..%2fescape.txt',
  'a%2f..%2f..%2fescape.txt',
  '%2e%2e%2fescape.txt',
  '.%2fa',
  'a%2f%2fb',
  'a%5c..%5cb',
  'a%00b',
])('rejects the name %s', async (name) => {
  const { id } = await createBucket();
  const response = await send(`/object/${id}/${name}`, { method: 'POST', body: 'x' });
  expect([response.status, await response.json()]).toMatchObject([400, { error: 'InvalidKey' }]);
  expect(readdirSync(FOLDER)).toEqual(['files']);
});

test.each([
  ['/object/sign/bucket/a', '{'],
  ['/object/sign/bucket/a', '{"expiresIn":0}'],
  ['/bucket', '{}'],
])('rejects an invalid body for %s: %s', async (path, body) => {
  const response = await send(path, { method: 'POST', body });
  expect([response.status, await response.json()]).toMatchObject([400, { error: 'InvalidRequest' }]);
});

test('rows cannot be deleted by SQL, as on Supabase', async () => {
  const { bucket } = await createBucket();
  await bucket.upload('a.txt', 'a');
  await expect(database.sql`delete from storage.objects`).rejects.toThrow('Use the Storage API');
});
