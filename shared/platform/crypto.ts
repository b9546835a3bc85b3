// Hashes, and comparing secrets in constant time.
import { createHash, timingSafeEqual } from 'node:crypto';

export const sha256Hex = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** Whether two strings are equal. The time depends only on their lengths. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
