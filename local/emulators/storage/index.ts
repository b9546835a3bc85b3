// Emulates the parts of Supabase Storage that supabase-js uses here, on the same storage.buckets and storage.objects tables,
// with the bytes in a folder. Secret keys can upload and download files; signed URLs open them.
import { type Context, Hono } from 'hono';
import { sign, verify } from 'hono/jwt';
import type postgres from 'postgres';
import { z } from 'zod';
import { bearerOf, isOneOf } from '../credentials.ts';
import { StorageError } from './errors.ts';
import { createObjects, type ObjectRow } from './objects.ts';

interface StorageOptions {
  /** Connection with a role that can write `storage.buckets` and `storage.objects`. */
  sql: postgres.Sql;
  /** Folder used only by Storage. Created if missing. */
  dir: string;
  /** Keys with access to everything except signed URLs. */
  secretKeys: readonly string[];
  /** Signs the tokens of signed URLs. */
  signingSecret: string;
}

const NewBucket = z.object({ name: z.string().min(1), public: z.literal(false) });
const Removal = z.object({ prefixes: z.array(z.string()).min(1).max(1000) });
const Signing = z.object({ expiresIn: z.number().int().positive() });

/** The app to mount under `/storage/v1`. */
export function createStorage(options: StorageOptions): Hono {
  const { signingSecret } = options;
  const objects = createObjects(options.sql, options.dir);
  const app = new Hono();
  app.onError((error, c) => {
    const known = toStorageError(error);
    if (!known) console.error('Storage failed', error);
    const answered = known ?? new StorageError(500, 'Internal', 'Internal Server Error');
    const { statusCode, error: name, message } = answered;
    return c.json({ statusCode: `${statusCode}`, error: name, message }, statusCode === 500 ? 500 : 400);
  });

  const send = async (c: Context, row: ObjectRow) => {
    c.header('content-type', row.metadata.mimetype);
    c.header('cache-control', row.metadata.cacheControl);
    c.header('etag', row.metadata.eTag);
    c.header('last-modified', row.updated_at.toUTCString());
    return c.body(new Uint8Array(await objects.read(row)));
  };

  app.get('/object/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const claims = await verify(c.req.query('token') ?? '', signingSecret, 'HS256').catch(
      (error: unknown) => {
        const expired = error instanceof Error && error.name === 'JwtTokenExpired';
        const message = expired ? '"exp" claim timestamp check failed' : 'invalid signature';
        throw new StorageError(400, 'InvalidJWT', message);
      },
    );
    if (claims.url !== `${bucket}/${path}`) {
      throw new StorageError(400, 'InvalidSignature', 'Invalid signature');
    }
    return send(c, await objects.find(bucket, path));
  });

  app.use('*', async function requireSecretKey(c, next) {
    if (isOneOf(options.secretKeys, bearerOf(c.req.header('authorization')))) return next();
    throw new StorageError(403, 'Unauthorized', 'Invalid Compact JWS');
  });

  app.post('/bucket', async (c) => {
    const { name } = NewBucket.parse(await c.req.json());
    await objects.createBucket(name);
    return c.json({ name });
  });

  app.post('/object/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { expiresIn } = Signing.parse(await c.req.json());
    await objects.find(bucket, path);
    const iat = Math.floor(Date.now() / 1000);
    const token = await sign({ url: `${bucket}/${path}`, iat, exp: iat + expiresIn }, signingSecret, 'HS256');
    return c.json({ signedURL: `/object/sign/${bucket}/${path}?token=${token}` });
  });

  app.get('/object/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return send(c, await objects.find(bucket, path));
  });

  app.post('/object/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const row = await objects.write(bucket, path, {
      bytes: new Uint8Array(await c.req.arrayBuffer()),
      contentType: c.req.header('content-type') ?? 'application/octet-stream',
      cacheControl: c.req.header('cache-control') ?? 'no-cache',
      upsert: c.req.header('x-upsert') === 'true',
    });
    return c.json({ Id: row.id, Key: `${bucket}/${path}` });
  });

  app.delete('/object/:bucket', async (c) => {
    const { prefixes } = Removal.parse(await c.req.json());
    return c.json(await objects.remove(c.req.param('bucket'), prefixes));
  });

  return app;
}

function toStorageError(error: unknown): StorageError | undefined {
  if (error instanceof StorageError) return error;
  if (error instanceof SyntaxError) return new StorageError(400, 'InvalidRequest', 'The body is not JSON');
  if (!(error instanceof z.ZodError)) return undefined;
  const [issue] = error.issues;
  return new StorageError(400, 'InvalidRequest', `body/${issue?.path.join('/')} ${issue?.message}`);
}
