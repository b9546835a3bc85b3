// Passwords as bcrypt hashes.
import { compare, hash } from 'bcryptjs';
import { AuthError, validationFailed } from './errors.ts';

/** bcrypt ignores further bytes. */
const MAX_BYTES = 72;
/** `minimum_password_length` in `supabase/config.toml`. */
const MIN_CHARACTERS = 6;
/** The minimum, for speed: Auth uses 10, which takes 50 ms per sign-in. The accounts here are only those of a demo. */
const COST = 4;

/** Throws 422 `weak_password`, or 400 `validation_failed` for one that is too long. */
export function checkPassword(password: string): void {
  if (Buffer.byteLength(password) > MAX_BYTES)
    throw validationFailed(`Password cannot be longer than ${MAX_BYTES} characters`);
  if (Buffer.byteLength(password) >= MIN_CHARACTERS) return;
  throw new AuthError(422, 'weak_password', `Password should be at least ${MIN_CHARACTERS} characters.`, {
    weak_password: { reasons: ['length'] },
  });
}

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Whether the password is the user's. False for users without a password. */
export async function isPasswordOf(
  { encrypted_password: hashed }: { encrypted_password: string | null },
  password: string,
): Promise<boolean> {
  return Boolean(hashed) && compare(password, hashed ?? '');
}
