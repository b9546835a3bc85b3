// Authentication of callers of the emulators.
import { constantTimeEqual } from '../../shared/platform/crypto.ts';

/** Whether the value is one of the keys. */
export function isOneOf(keys: readonly string[], value: string | undefined): boolean {
  return keys.some((key) => key !== '' && constantTimeEqual(key, value ?? ''));
}

/** The token of `Authorization: Bearer <token>`. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
}
