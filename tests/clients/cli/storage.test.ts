// `placar storage copy` and `verify`: between two projects and a folder, with kills, and with changed and damaged files.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createStorage } from '../../../local/emulators/storage/index.ts';
import {
  createSupabaseClient,
  type PlatformDatabase,
  serveApp,
  startPlatformDatabase,
} from '../../platform/platform-database.ts';
import { connectDatabase } from '../../support/database.ts';
import { createInvoice, createPayTenant, issued } from '../../support/payments/payment-flows.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectHidden, jsonLines, newFolder, runCli, startCli, useCli } from './run-cli.ts';

useCli();

const BUCKET = 'payment-documents';
const home = mkdtempSync(join(tmpdir(), 'placar-storage-'));
const projects: Project[] = [];
const sql = connectDatabase();

interface Project {
  database: PlatformDatabase;
  file: string;
  key: string;
  files: ReturnType<ReturnType<typeof createSupabaseClient>['storage']['from']>;
  /** Requests so far, as `GET <name>`. */
  requests: string[];
  /** After this many downloads, the others get no response. */
  hangAfter: number;
  stop(): Promise<void>;
}

/** The database and Storage of a project, as the command sees them. */
async function startProject(name: string): Promise<Project> {
  const database = await startPlatformDatabase();
  const key = `sb_secret_${randomBytes(12).toString('hex')}`;
  const gateway = new Hono();
  const project = { requests: [] as string[], hangAfter: Number.POSITIVE_INFINITY };
  gateway.use('/storage/v1/object/payment-documents/*', async (c, next) => {
    const path = decodeURIComponent(c.req.path).replace('/storage/v1/object/payment-documents/', '');
    project.requests.push(`${c.req.method} ${path}`);
    const reads = project.requests.filter((one) => one.startsWith('GET')).length;
    if (c.req.method === 'GET' && reads > project.hangAfter) await new Promise(() => {});
    await next();
  });
  gateway.route(
    '/storage/v1',
    createStorage({
      sql: database.sql,
      dir: join(home, name),
      secretKeys: [key],
      signingSecret: 'a secret that signs addresses, 32 bytes',
    }),
  );
  const server = await serveApp(gateway);
  const { storage } = createSupabaseClient(server.url, key);
  const file = join(home, `${name}.env`);
  writeFileSync(
    file,
    `DATABASE_URL=${database.url}\nSUPABASE_URL=${server.url}\nSUPABASE_SECRET_KEYS='${JSON.stringify({ default: key })}'\n`,
  );
  return Object.assign(project, {
    database,
    file,
    key,
    files: storage.from(BUCKET),
    async stop() {
      await server.close();
      await database.stop();
    },
  });
}

let source: Project;
let target: Project;
beforeAll(async () => {
  [source, target] = await Promise.all([startProject('source'), startProject('target')]);
  projects.push(source, target);
  await source.database
    .sql`insert into storage.buckets (id, name, public) values (${BUCKET}, ${BUCKET}, false)`;
});
afterAll(async () => {
  await Promise.all(projects.map((one) => one.stop()));
  rmSync(home, { recursive: true, force: true });
});

const put = async ({ files }: Project, name: string, content: string, contentType = 'application/pdf') => {
  const { error } = await files.upload(name, Buffer.from(content), { contentType, upsert: true });
  expect(error).toBeNull();
};
const textOf = async ({ files }: Project, name: string) => (await files.download(name)).data?.text();

async function copy(from: string, to: string, ...more: string[]) {
  const ended = await runCli(['storage', 'copy', '--from', from, '--to', to, ...more]);
  expectHidden(ended, [source.key, target.key, new URL(source.database.url).password]);
  return { ...ended, counts: jsonLines(ended.stdout)[0] };
}

test('resumes after a kill with the missing files; handles changed, damaged and extra files', async () => {
  const names = Array.from(
    { length: 30 },
    (_, i) => `tenant/txd_${String(i).padStart(2, '0')}/nfse (${i}).pdf`,
  );
  for (const name of names) await put(source, name, `content of ${name}`);
  const folder = join(newFolder(), 'copy');
  source.hangAfter = 12;
  const running = startCli(['storage', 'copy', '--from', source.file, '--to', folder]);
  await waitFor(() => source.requests.filter((one) => one.startsWith('GET')).length === 12 + 4);
  running.kill('SIGKILL');
  await running.ended;
  source.hangAfter = Number.POSITIVE_INFINITY;
  source.requests.length = 0;
  const resumed = await copy(source.file, folder);
  expect(resumed, resumed.stderr).toMatchObject({
    code: 0,
    counts: { files: 30, unchanged: 12, failed: 0, extra: 0 },
  });
  expect(source.requests).toHaveLength(18);
  const path = (name: string) => join(folder, 'files', name);
  expect(readFileSync(path(names[29] ?? ''), 'utf8')).toBe(`content of ${names[29]}`);

  // The same size but different bytes: one changed in the source, one damaged in the folder.
  await put(source, names[0] ?? '', `CONTENT of ${names[0]}`);
  writeFileSync(path(names[1] ?? ''), `damaged of ${names[1]}`);
  const next = await copy(source.file, folder);
  expect(next.counts).toMatchObject({ files: 30, unchanged: 28, replaced: 2 });
  expect(readFileSync(path(names[0] ?? ''), 'utf8')).toBe(`CONTENT of ${names[0]}`);

  // From the folder into another project: bytes and types equal those of the source.
  const restored = await copy(folder, target.file);
  expect(restored, restored.stderr).toMatchObject({ code: 0, counts: { copied: 30 } });
  const file = await target.files.download(names[5] ?? '');
  expect([file.data?.type, await file.data?.text()]).toEqual(['application/pdf', `content of ${names[5]}`]);
});

test('between projects: replaces files of the same size with other bytes, deletes extra files on request', async () => {
  const folder = 'pair';
  for (const name of ['same', 'other', 'new'])
    await put(source, `${folder}/${name}.xml`, `${name}!`, 'application/xml');
  await target.database.sql`
    insert into storage.buckets (id, name, public) values (${BUCKET}, ${BUCKET}, false) on conflict do nothing`;
  await put(target, `${folder}/same.xml`, 'same!');
  await put(target, `${folder}/other.xml`, 'OTHER!');
  await put(target, `${folder}/extra.xml`, 'extra');
  const first = await copy(source.file, target.file);
  expect(first, first.stderr).toMatchObject({ code: 0, counts: { replaced: 1, extra: 1, deleted: 0 } });
  expect(await textOf(target, `${folder}/other.xml`)).toBe('other!');
  expect(await textOf(target, `${folder}/extra.xml`)).toBe('extra');
  const second = await copy(source.file, target.file, '--delete-extra');
  expect(second.counts).toMatchObject({ copied: 0, replaced: 0, extra: 1, deleted: 1 });
  expect(await textOf(target, `${folder}/extra.xml`)).toBeUndefined();
  const empty = await copy(newFolder(), target.file, '--delete-extra');
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('The source has no files')]);
  expect(await textOf(target, `${folder}/same.xml`)).toBe('same!');
});

test('verify finds missing files of issued documents and files without a row; copies one tenant by its slug', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  const document = await issued(apiKey, (await createInvoice(apiKey)).id);
  const [tenant] = await sql`select slug from tenants where id = ${id}`;
  const env = inject('env');
  const file = join(newFolder(), 'stack.env');
  writeFileSync(
    file,
    `DATABASE_URL=${inject('stack').database_url}\nSUPABASE_URL=${env.SUPABASE_URL}\nSUPABASE_SECRET_KEYS='${env.SUPABASE_SECRET_KEYS}'\n`,
  );
  const verify = async () => {
    const ended = await runCli(['storage', 'verify', '--from', file, '--tenant', tenant?.slug]);
    const [found = {}] = jsonLines(ended.stdout);
    return { ...found, code: ended.code };
  };
  expect(await verify()).toEqual({ code: 0, files: 2, required: 2, missing: [], unnamed: [] });
  const folder = newFolder();
  expect((await copy(file, folder, '--tenant', tenant?.slug)).counts).toMatchObject({ files: 2, copied: 2 });
  expect(readFileSync(join(folder, 'files', id, document.id, 'nfse.xml'), 'utf8')).toContain('<');
  const key = JSON.parse(env.SUPABASE_SECRET_KEYS ?? '{}').default;
  const files = createSupabaseClient(env.SUPABASE_URL ?? '', key).storage.from(BUCKET);
  await files.remove([`${id}/${document.id}/nfse.pdf`]);
  await files.upload(`${id}/notes.txt`, Buffer.from('x'));
  expect(await verify()).toEqual({
    ...{ code: 1, files: 2, required: 2 },
    missing: [`${id}/${document.id}/nfse.pdf`],
    unnamed: [`${id}/notes.txt`],
  });
  expect((await copy(folder, file, '--tenant', tenant?.slug)).counts).toMatchObject({
    copied: 1,
    unchanged: 1,
    extra: 1,
  });
  expect(await verify()).toMatchObject({ code: 0, missing: [] });
});

test.each([
  ['a missing file', ['copy', '--from', '/nowhere', '--to', '/tmp/x'], '/nowhere does not exist.'],
  [
    'a missing destination file',
    ['copy', '--from', 'FOLDER', '--to', '/nowhere/new.env'],
    '/nowhere/new.env does not exist.',
  ],
  ['a file without settings', ['verify', '--from', 'EMPTY'], 'lacks DATABASE_URL'],
])('%s is a usage error', async (_, args, said) => {
  const empty = join(newFolder(), 'empty.env');
  writeFileSync(empty, 'A=1\n');
  const { code, stderr } = await runCli([
    'storage',
    ...args.map((one) => ({ EMPTY: empty, FOLDER: newFolder() })[one] ?? one),
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});
