// Stores files of invoices and tax documents in a private bucket of Supabase Storage.
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { createSupabase } from '../supabase.ts';

const BUCKET = 'payment-documents';
const SIGNED_FOR_SECONDS = 300;
/** Storage usually responds much faster, and the user who opens a file waits for it. */
const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

/** All methods throw 503 if Storage is unreachable or fails. */
export interface FileStore {
  put(path: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Returns a URL that opens the file for five minutes; undefined if the file does not exist. */
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
      if (error) throw storageUnavailable(`Storage did not accept ${path}: ${error.message}`);
    },
    async remove(path) {
      const { error } = await (await storage()).from(BUCKET).remove([path]);
      if (error && !/bucket not found/i.test(error.message))
        throw storageUnavailable(`Storage did not remove ${path}: ${error.message}`);
    },
    async sign(path) {
      const { data, error } = await (await storage()).from(BUCKET).createSignedUrl(path, SIGNED_FOR_SECONDS);
      if (!error) return data.signedUrl;
      // Storage responds with 400 and puts the actual status into the body if the object or the bucket does not exist.
      if (error.statusCode === '404') return undefined;
      throw storageUnavailable(`Storage did not sign a URL for ${path}: ${error.message}`);
    },
  };
}

function storageUnavailable(why: string): ApiError {
  return new ApiError('unavailable', `File storage is unavailable. Retry after ${RETRY_AFTER_SECONDS} s.`, {
    effect: 'none',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'storage_away',
    cause: new Error(why),
  });
}
