// Files of invoices and tax documents, in a private bucket of Supabase Storage.
import type { Env } from '../env.ts';
import { createSupabase } from '../supabase.ts';

const BUCKET = 'payment-documents';
const SIGNED_FOR_SECONDS = 300;

export interface FileStore {
  put(path: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** An address that opens the file for some minutes; undefined when there is no such file. */
  sign(path: string): Promise<string | undefined>;
}

export function createFileStore(env: Env<'storage'>): FileStore {
  const supabase = createSupabase(env);
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
      if (error) throw new Error(`Storage did not take ${path}: ${error.message}`);
    },
    async sign(path) {
      const { data } = await (await storage()).from(BUCKET).createSignedUrl(path, SIGNED_FOR_SECONDS);
      return data?.signedUrl;
    },
  };
}
