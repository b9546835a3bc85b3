// Errors in the format of Supabase Storage: HTTP 400 with the actual status in the body.
import { HTTPException } from 'hono/http-exception';

/** Rendered as `{statusCode, error, message}`. */
export class StorageError extends HTTPException {
  readonly statusCode: number;
  readonly error: string;

  constructor(statusCode: number, error: string, message: string) {
    super(400, { message });
    this.statusCode = statusCode;
    this.error = error;
  }
}

export const bucketNotFound = () => new StorageError(404, 'Bucket not found', 'Bucket not found');
export const objectNotFound = () => new StorageError(404, 'not_found', 'Object not found');
export const duplicate = () => new StorageError(409, 'Duplicate', 'The resource already exists');
