import type postgres from 'postgres';

export interface StorageOptions {
  /** Connected as a role that may write `storage.buckets` and `storage.objects`. */
  sql: postgres.Sql;
  /** Folder that belongs to Storage alone; made when missing. */
  dir: string;
  /** Keys that may call everything but the public and the signed addresses. */
  secretKeys: readonly string[];
  /** Signs the tokens of signed addresses. */
  signingSecret: string;
}
