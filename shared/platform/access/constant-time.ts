// Compares secrets in constant time.
import { timingSafeEqual } from 'node:crypto';

/** Whether two strings are equal. The time depends only on their lengths. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
