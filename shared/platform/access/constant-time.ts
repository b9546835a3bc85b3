// The one comparison of secrets.
import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that depends on their lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
