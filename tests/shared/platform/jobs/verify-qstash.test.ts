// Rolling QStash's signing keys interrupts nothing: messages signed with the current and the next key are accepted, and no others.
import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createVerifier } from '../../../../shared/platform/jobs/verify-qstash.ts';

const url = 'https://placar.example/functions/v1/callbacks/sweep';
const body = new TextEncoder().encode('{}');

/** A delivery, signed as QStash does with this key. */
async function signedWith(key: string) {
  const digest = createHash('sha256').update(body).digest('base64url');
  const signature = await new SignJWT({ body: digest })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('Upstash')
    .setSubject(url)
    .setNotBefore('0s')
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(key));
  return { url, body, headers: new Headers({ 'upstash-signature': signature }) };
}

test('accepts a message before the roll, after it, and once the new keys are set', async () => {
  const before = createVerifier({ QSTASH_CURRENT_SIGNING_KEY: 'first', QSTASH_NEXT_SIGNING_KEY: 'second' });
  await before(await signedWith('first'));
  // Rolled in the console: QStash signs with the key that was next.
  await before(await signedWith('second'));
  const after = createVerifier({ QSTASH_CURRENT_SIGNING_KEY: 'second', QSTASH_NEXT_SIGNING_KEY: 'third' });
  await after(await signedWith('second'));
  await expect(after(await signedWith('first'))).rejects.toMatchObject({ code: 'unauthorized' });
  // Rolled twice before the settings were changed.
  await expect(before(await signedWith('third'))).rejects.toMatchObject({ code: 'unauthorized' });
});
