// Certificates for servers of tests, issued by an authority of their own.
import { generate } from 'selfsigned';

const keyUsage = { name: 'keyUsage', digitalSignature: true, keyCertSign: true } as const;

export type Names = { type: 2 | 7; value?: string; ip?: string }[];

/** A certificate authority, and a certificate that it issued for these names. */
export async function createCertificates(names: Names) {
  const ca = await generate([{ name: 'commonName', value: 'Test CA' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true }, keyUsage],
  });
  const server = await generate([{ name: 'commonName', value: 'server' }], {
    keySize: 2048,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  return { ca: ca.cert, cert: server.cert, key: server.private };
}
