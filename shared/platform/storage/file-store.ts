// Files of invoices and tax documents, in a private bucket of Supabase Storage.
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { createSupabase } from '../supabase.ts';

const BUCKET = 'payment-documents';
const SIGNED_FOR_SECONDS = 300;
/** Storage answers in much less, and whoever opens a file waits for it. */
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

/** What throws is a 503 when Storage is away or fails. */
export interface FileStore {
  put(path: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** An address that opens the file for some minutes; undefined when there is no such file. */
  sign(path: string): Promise<string | undefined>;
}

export function createFileStore(env: Env<'storage'>): FileStore {
  const supabase = createSupabase(env, TIMEOUT_MS);
  const storage = async () => (await supabase()).storage;
  return {
    async put(path, bytes, contentType) {
      const api = await storage();
      const upload = () => api.from(BUCKET).upload(path, bytes, { contentType, upsert: true });
      let { error } = await upload();
      if (error && /bucket/i.test(error.message)) {
        await api.createBucket(BUCKET, { public: false });
        ({ error } = await upload());
      }
      if (error) throw storageAway(`Storage did not take ${path}: ${error.message}`);
    },
    async sign(path) {
      const { data, error } = await (await storage()).from(BUCKET).createSignedUrl(path, SIGNED_FOR_SECONDS);
      if (!error) return data.signedUrl;
      // Storage says 400 and what it means inside: there is no such object, or not even a bucket yet.
      if (error.statusCode === '404') return undefined;
      throw storageAway(`Storage did not sign ${path}: ${error.message}`);
    },
  };
}

function storageAway(why: string): ApiError {
  return new ApiError('unavailable', 'The files cannot be reached at the moment; please retry.', {
    effect: 'none',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'storage_away',
    cause: new Error(why),
  });
}
