// QR codes as images.
import { encodeQR } from 'qr';

/** Width of the light border, in modules, that scanners need around a QR code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Renders the text as an SVG QR code, black on white, with quiet zone and error correction level M. */
export function qrSvg(payload: string): string {
  const svg = encodeQR(payload, 'svg', { ecc: 'medium', border: QUIET_ZONE });
  // Without these attributes the image has no background and no intrinsic size.
  return svg.replace(
    /^<svg ([^>]*)>/,
    '<svg width="480" height="480" shape-rendering="crispEdges" $1><rect width="100%" height="100%" fill="#fff"/>',
  );
}
