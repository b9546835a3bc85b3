/** Pix codes: the BR Code text and its QR code. */

import { crc32, deflateSync } from 'node:zlib';
import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload';
import { encodeQR } from 'qr';

/** A code for one payment. It has no amount: the payer's bank fetches it from the URL in the code. */
export function dynamicPixPayload(details: { location: string; name: string; city: string }): string {
  const { location, name, city } = details;
  const payload = generatePixPayload({ url: location, merchantName: name, merchantCity: city });
  if (payload === null) throw new Error(`cannot create a Pix code from ${JSON.stringify(details)}`);
  return payload;
}

const PIXELS_PER_MODULE = 4;
const QUIET_MODULES = 4;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** A QR code as PNG in base64. */
export function qrCodePng(text: string): string {
  const modules = encodeQR(text, 'raw', { border: QUIET_MODULES, scale: PIXELS_PER_MODULE });
  const size = modules.length;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8-bit grayscale.
  header[8] = 8;
  const rows = modules.map((row) => Buffer.from([0, ...row.map((isDark) => (isDark ? 0 : 255))]));
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return png.toString('base64');
}

/** The reusable code of a Pix key. */
export function pixKeyPayload({ key, name, city }: { key: string; name: string; city: string }): string {
  const payload = generatePixPayload({ key, merchantName: name, merchantCity: city });
  if (payload === null) throw new Error(`cannot create a Pix code from the key ${key}`);
  return payload;
}
