// Ed25519: public libraries verify our signatures, with the public key and with the key set.
import { createPublicKey, verify } from 'node:crypto';
import { calculateJwkThumbprint, importJWK } from 'jose';
import { expect, test } from 'vitest';
import {
  asymmetricSignature,
  generateSigningKey,
  keySetOf,
  publicKeyOf,
} from '../../../../shared/webhooks/delivery/signed-request.ts';

const body = new TextEncoder().encode('{"name":"José 🎯"}');
const signed = Buffer.concat([Buffer.from('whd_1.1767225600.'), body]);

test('the first vector of RFC 8032 has its public key', () => {
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  // PKCS#8 ends with the seed.
  const privateKey = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64');
  const publicKey = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
  expect(publicKeyOf(privateKey)).toBe(`whpk_${publicKey.toString('base64')}`);
  expect(keySetOf(publicKeyOf(privateKey)).keys).toMatchObject([
    { kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' },
  ]);
});

test('a signature is valid only for its id, time, body and key', async () => {
  const [key, other] = [generateSigningKey(), generateSigningKey()];
  expect(key.publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  const signature = asymmetricSignature(key.privateKey, 'whd_1', 1767225600, body);
  expect(signature).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
  const bytes = Buffer.from(signature.slice(4), 'base64');
  const rightFor = async (publicKey: string, content: Uint8Array) => {
    const [jwk] = keySetOf(publicKey).keys;
    if (!jwk) throw new Error('no key');
    const imported = await importJWK({ ...jwk }, 'EdDSA');
    if (imported instanceof Uint8Array) throw new Error('no public key');
    return [
      verify(null, content, createPublicKey({ key: { ...jwk }, format: 'jwk' }), bytes),
      await crypto.subtle.verify('Ed25519', imported, bytes, new Uint8Array(content)),
    ];
  };
  expect(await rightFor(key.publicKey, signed)).toEqual([true, true]);
  expect(await rightFor(other.publicKey, signed)).toEqual([false, false]);
  for (const changed of ['whd_2.1767225600.', 'whd_1.1767225601.']) {
    expect(await rightFor(key.publicKey, Buffer.concat([Buffer.from(changed), body]))).toEqual([
      false,
      false,
    ]);
  }
});

test('the key set names its key by its thumbprint, and is empty without a key', async () => {
  const [key] = keySetOf(generateSigningKey().publicKey).keys;
  expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' });
  expect(key?.kid).toBe(await calculateJwkThumbprint({ ...key }));
  expect(keySetOf(null)).toEqual({ keys: [] });
});
