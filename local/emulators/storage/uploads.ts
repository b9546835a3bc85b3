import type { Context } from 'hono';
import { z } from 'zod';
import type { BucketRow } from './buckets.ts';
import { StorageError } from './errors.ts';
import type { Upload } from './objects.ts';

const Metadata = z.record(z.string(), z.json());

/** The file of an upload: the body itself, or the file in a form, as the client sends a Blob. */
export async function readUpload(c: Context, bucket: BucketRow): Promise<Upload> {
  const contentType = c.req.header('content-type') ?? 'application/octet-stream';
  const upload = contentType.startsWith('multipart/form-data')
    ? await readForm(c)
    : await readBody(c, contentType);
  const allowed = bucket.allowed_mime_types;
  if (allowed && allowed.length > 0 && !allowed.some((pattern) => matches(pattern, upload.contentType))) {
    const message = `mime type ${upload.contentType} is not supported`;
    throw new StorageError(415, 'invalid_mime_type', message);
  }
  if (bucket.file_size_limit !== null && upload.bytes.length > Number(bucket.file_size_limit)) {
    throw new StorageError(413, 'Payload too large', 'The object exceeded the maximum allowed size');
  }
  return upload;
}

async function readForm(c: Context): Promise<Upload> {
  const form = await c.req.formData();
  const file = [...form.values()].find((value) => typeof value !== 'string');
  if (!file) throw new StorageError(400, 'InvalidRequest', 'The form has no file');
  const seconds = form.get('cacheControl');
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    contentType: file.type || 'application/octet-stream',
    cacheControl: typeof seconds === 'string' ? `max-age=${seconds}` : 'no-cache',
    userMetadata: parseMetadata(form.get('metadata')),
  };
}

async function readBody(c: Context, contentType: string): Promise<Upload> {
  const metadata = c.req.header('x-metadata');
  return {
    bytes: new Uint8Array(await c.req.arrayBuffer()),
    contentType,
    cacheControl: c.req.header('cache-control') ?? 'no-cache',
    userMetadata: parseMetadata(metadata ? Buffer.from(metadata, 'base64').toString() : null),
  };
}

function parseMetadata(text: unknown): z.output<typeof Metadata> | null {
  return typeof text === 'string' && text !== '' ? Metadata.parse(JSON.parse(text)) : null;
}

function matches(pattern: string, contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim() ?? '';
  return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
