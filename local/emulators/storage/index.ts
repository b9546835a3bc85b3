// The endpoints of Supabase Storage that supabase-js calls, over the same storage.buckets and storage.objects as on
// Supabase; the bytes are in a folder. Policies for users are not applied: it takes secret keys alone.
import { type Context, Hono } from 'hono';
import { sign, verify } from 'hono/jwt';
import { z } from 'zod';
import { isOneOf, readBearer } from '../api-keys.ts';
import { createBucketRoutes, findBucket } from './buckets.ts';
import { bucketNotFound, StorageError } from './errors.ts';
import { checkName, createObjects, type ObjectRow } from './objects.ts';
import type { StorageOptions } from './options.ts';
import { readUpload } from './uploads.ts';

export type { StorageOptions } from './options.ts';

const ExpiresIn = z.number().int().positive();
const Signing = z.object({ expiresIn: ExpiresIn });
const SigningMany = z.object({ expiresIn: ExpiresIn, paths: z.array(z.string()) });
const Deletion = z.object({ prefixes: z.array(z.string()).max(1000) });
const Listing = z.object({
  prefix: z.string().default(''),
  search: z.string().default(''),
  limit: z.number().int().min(1).default(100),
  offset: z.number().int().min(0).default(0),
  sortBy: z
    .object({
      column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .default({ column: 'name', order: 'asc' }),
});

/** The app to mount under `/storage/v1`. */
export function createStorage(options: StorageOptions): Hono {
  const { sql, signingSecret } = options;
  const objects = createObjects(sql, options.dir);
  const app = new Hono();
  app.onError((error, c) => {
    const known = toStorageError(error);
    if (!known) console.error('Storage failed', error);
    const {
      statusCode,
      error: name,
      message,
    } = known ?? new StorageError(500, 'Internal', 'Internal Server Error');
    return c.json({ statusCode: `${statusCode}`, error: name, message }, statusCode === 500 ? 500 : 400);
  });

  const send = async (c: Context, row: ObjectRow) => {
    const download = c.req.query('download');
    if (download !== undefined) {
      const name = encodeURIComponent(download || (row.name.split('/').at(-1) ?? ''));
      c.header('content-disposition', `attachment; filename=${name}; filename*=UTF-8''${name};`);
    }
    c.header('content-type', row.metadata.mimetype);
    c.header('cache-control', row.metadata.cacheControl);
    c.header('etag', row.metadata.eTag);
    c.header('last-modified', row.updated_at.toUTCString());
    return c.body(new Uint8Array(await objects.read(row)));
  };

  app.get('/object/public/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    if (!(await findBucket(sql, bucket)).public) throw bucketNotFound();
    return send(c, await objects.find(bucket, path));
  });

  app.get('/object/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const claims = await verify(c.req.query('token') ?? '', signingSecret, 'HS256').catch(
      (error: unknown) => {
        const expired = error instanceof Error && error.name === 'JwtTokenExpired';
        throw new StorageError(
          400,
          'InvalidJWT',
          expired ? '"exp" claim timestamp check failed' : 'invalid signature',
        );
      },
    );
    if (claims.url !== `${bucket}/${path}`) {
      throw new StorageError(400, 'InvalidSignature', 'Invalid signature');
    }
    return send(c, await objects.find(bucket, path));
  });

  app.use('*', async function requireSecretKey(c, next) {
    if (!isOneOf(options.secretKeys, readBearer(c))) {
      throw new StorageError(403, 'Unauthorized', 'Invalid Compact JWS');
    }
    await next();
  });

  app.route('/bucket', createBucketRoutes(sql, objects));

  const signUrl = async (bucket: string, path: string, expiresIn: number) => {
    await objects.find(bucket, path);
    const iat = Math.floor(Date.now() / 1000);
    const token = await sign({ url: `${bucket}/${path}`, iat, exp: iat + expiresIn }, signingSecret, 'HS256');
    return `/object/sign/${bucket}/${path}?token=${token}`;
  };

  app.post('/object/sign/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    const { expiresIn } = Signing.parse(await c.req.json());
    return c.json({ signedURL: await signUrl(bucket, path, expiresIn) });
  });

  app.post('/object/sign/:bucket', async (c) => {
    const { expiresIn, paths } = SigningMany.parse(await c.req.json());
    const signOne = async (path: string) => {
      try {
        return { error: null, path, signedURL: await signUrl(c.req.param('bucket'), path, expiresIn) };
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        const reason = 'Either the object does not exist or you do not have access to it';
        return { error: reason, path, signedURL: null };
      }
    };
    return c.json(await Promise.all(paths.map(signOne)));
  });

  app.post('/object/list/:bucket', async (c) => {
    const { prefix, search, limit, offset, sortBy } = Listing.parse(await c.req.json());
    const folder = prefix.replace(/^\/+|\/+$/g, '');
    const request = { search, limit, offset, column: sortBy.column, descending: sortBy.order === 'desc' };
    const rows = await objects.list(c.req.param('bucket'), { ...request, folder: folder && `${folder}/` });
    return c.json(rows);
  });

  app.get('/object/info/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return c.json(toInfo(await objects.find(bucket, path)));
  });

  app.get('/object/authenticated/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return send(c, await objects.find(bucket, path));
  });

  app.get('/object/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    return send(c, await objects.find(bucket, path));
  });

  app.on(['POST', 'PUT'], '/object/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    checkName(path);
    const upload = await readUpload(c, await findBucket(sql, bucket));
    const upsert = c.req.method === 'PUT' || c.req.header('x-upsert') === 'true';
    const row = await objects.write(bucket, path, upload, upsert);
    return c.json({ Id: row.id, Key: `${bucket}/${path}` });
  });

  app.delete('/object/:bucket/:path{.+}', async (c) => {
    const { bucket, path } = c.req.param();
    await objects.find(bucket, path);
    await objects.delete(bucket, [path]);
    return c.json({ message: 'Successfully deleted' });
  });

  app.delete('/object/:bucket', async (c) => {
    const { prefixes } = Deletion.parse(await c.req.json());
    return c.json(await objects.delete(c.req.param('bucket'), prefixes));
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

const toInfo = (row: ObjectRow) => ({
  id: row.id,
  name: row.name,
  version: row.version,
  bucket_id: row.bucket_id,
  size: row.metadata.size,
  content_type: row.metadata.mimetype,
  cache_control: row.metadata.cacheControl,
  etag: row.metadata.eTag,
  metadata: row.user_metadata ?? {},
  last_modified: row.updated_at,
  created_at: row.created_at,
});
