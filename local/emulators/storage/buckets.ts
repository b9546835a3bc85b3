import { Hono } from 'hono';
import postgres from 'postgres';
import { z } from 'zod';
import { bucketNotFound, duplicate } from './errors.ts';
import type { Objects } from './objects.ts';

/** The columns of `storage.buckets` that are read here. */
export interface BucketRow {
  id: string;
  name: string;
  owner: string | null;
  public: boolean;
  /** Bytes; any size when null. */
  file_size_limit: string | null;
  /** Such as `image/png` or `image/*`; any type when null. */
  allowed_mime_types: string[] | null;
  created_at: Date;
  updated_at: Date;
}

const BYTES: Record<string, number> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 };

const Size = z.union([
  z.number().int().positive(),
  z
    .string()
    .regex(/^\d+(?:\.\d+)?\s*(?:B|KB|MB|GB)$/i)
    .transform((text) =>
      Math.floor(Number.parseFloat(text) * (BYTES[text.replace(/[\d.\s]/g, '').toUpperCase()] ?? 1)),
    ),
]);

const Settings = z.object({
  public: z.boolean().optional(),
  file_size_limit: Size.nullish(),
  allowed_mime_types: z.array(z.string()).nullish(),
});
const NewBucket = Settings.extend({
  id: z.string().optional(),
  name: z.string().regex(/^[\w!\-.*'() &$@=;:+,?]{1,100}$/),
});

/** The bucket. Throws 404. */
export async function findBucket(sql: postgres.Sql, id: string): Promise<BucketRow> {
  const [row] = await sql<BucketRow[]>`select * from storage.buckets where id = ${id}`;
  if (!row) throw bucketNotFound();
  return row;
}

const toBucket = (row: BucketRow) => ({
  ...row,
  owner: row.owner ?? '',
  file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
});

export function createBucketRoutes(sql: postgres.Sql, objects: Objects): Hono {
  const app = new Hono();

  app.get('/', async (c) => {
    const rows = await sql<BucketRow[]>`select * from storage.buckets order by name`;
    return c.json(rows.map(toBucket));
  });

  app.get('/:id', async (c) => c.json(toBucket(await findBucket(sql, c.req.param('id')))));

  app.post('/', async (c) => {
    const body = NewBucket.parse(await c.req.json());
    const row = {
      id: body.id ?? body.name,
      name: body.name,
      public: body.public ?? false,
      file_size_limit: body.file_size_limit ?? null,
      allowed_mime_types: body.allowed_mime_types ?? null,
    };
    await sql`insert into storage.buckets ${sql(row)}`.catch((error: unknown) => {
      throw error instanceof postgres.PostgresError && error.code === '23505' ? duplicate() : error;
    });
    return c.json({ name: row.id });
  });

  app.put('/:id', async (c) => {
    const { id, ...before } = await findBucket(sql, c.req.param('id'));
    const body = Settings.parse(await c.req.json());
    const settings = {
      public: body.public ?? before.public,
      file_size_limit: body.file_size_limit === undefined ? before.file_size_limit : body.file_size_limit,
      allowed_mime_types:
        body.allowed_mime_types === undefined ? before.allowed_mime_types : body.allowed_mime_types,
      updated_at: new Date(),
    };
    await sql`update storage.buckets set ${sql(settings)} where id = ${id}`;
    return c.json({ message: 'Successfully updated' });
  });

  app.post('/:id/empty', async (c) => {
    const { id } = await findBucket(sql, c.req.param('id'));
    await objects.deleteAll(id);
    return c.json({ message: 'Successfully emptied' });
  });

  app.delete('/:id', async (c) => {
    const { id } = await findBucket(sql, c.req.param('id'));
    await objects.deleteBucket(id);
    return c.json({ message: 'Successfully deleted' });
  });

  return app;
}
