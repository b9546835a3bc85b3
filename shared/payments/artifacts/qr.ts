// QR codes as images.
import { encode } from 'fast-png';
import { encodeQR } from 'qr';

/** Width of the light border, in modules, that scanners need around a QR code (ISO/IEC 18004). */
const QUIET_ZONE = 4;
const PIXELS_PER_MODULE = 8;

/**
 * Renders the text as a PNG QR code, black on white, with quiet zone and error correction level M. PNG is what mail programs and messengers
 * show.
 */
export function qrPng(payload: string): ArrayBuffer {
  const rows = encodeQR(payload, 'raw', { ecc: 'medium', border: QUIET_ZONE, scale: PIXELS_PER_MODULE });
  const data = Uint8Array.from(rows.flat(), (isDark) => (isDark ? 0 : 255));
  const png = encode({ width: rows.length, height: rows.length, channels: 1, depth: 8, data });
  return new Uint8Array(png).buffer;
}
