// Encrypts values that browsers keep in cookies: JWE with a 256-bit key, so that nobody can read, change or exchange them.
import { randomBytes } from 'node:crypto';
import { jwtDecrypt } from 'jose/jwt/decrypt';
import { EncryptJWT } from 'jose/jwt/encrypt';

const KEY_BYTES = 32;

/** A key in base64 or base64url; undefined unless it has 32 bytes. */
export function readSessionKey(text: string): Uint8Array | undefined {
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? new Uint8Array(key) : undefined;
}

export const createSessionKey = (): Uint8Array => new Uint8Array(randomBytes(KEY_BYTES));

/** What a sealed value is for. A value for one purpose is not valid for another one. */
export type Purpose = 'session' | 'flow';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export class Sealer {
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(key: Uint8Array, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  seal(purpose: Purpose, value: object, expiresAtMs: number): Promise<string> {
    return new EncryptJWT({ value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setExpirationTime(new Date(expiresAtMs))
      .encrypt(this.#key);
  }

  /** Undefined if the text was not sealed with this key for this purpose, or has expired. */
  async open(purpose: Purpose, text: string): Promise<unknown> {
    try {
      const { payload } = await jwtDecrypt(text, this.#key, {
        audience: purpose,
        currentDate: new Date(this.#clock.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
      });
      return payload.value;
    } catch {
      return undefined;
    }
  }
}
