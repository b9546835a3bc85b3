// The text of a PIX charge (BR Code, "copia e cola") and its QR code.
import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload';
import { encodeQR } from 'qr';

export type PixPayloadInput = {
  /** In centavos, positive. */
  amountMinor: number;
  /** 1 to 25 letters and digits. Only static codes carry it; of a dynamic one it is at its address. */
  txid: string;
  /** Reduced to ASCII and 25 characters. */
  merchantName: string;
  /** Reduced to ASCII and 15 characters. */
  merchantCity: string;
} & (
  | {
      /** Address of a dynamic, single-use charge, without scheme, at most 77 characters. */
      url: string;
    }
  | {
      /** PIX key of a static code, which can be paid more than once. */
      key: string;
    }
);

/** CRC-16/CCITT-FALSE as four upper-case hexadecimal digits (BR Code, object 63). */
export function crc16(ascii: string): string {
  let crc = 0xffff;
  for (let i = 0; i < ascii.length; i++) {
    crc ^= ascii.charCodeAt(i) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** What the standard lets through of a text; never empty, for the object is mandatory. */
function asciiOr(fallback: string, text: string): string {
  const ascii = text.normalize('NFD').replace(/[^\x20-\x7e\s]/g, '');
  return ascii.trim() === '' ? fallback : ascii;
}

const AHEAD_OF_ACCOUNT = '000201010212'.length;
const AFTER_ACCOUNT = '520400005303986'.length;

// The library leaves the amount out of dynamic codes, where it is optional (the one at the address rules);
// with it the code also says what it asks for to whom cannot reach the address.
function withAmount(payload: string, amount: string): string {
  const accountLength = Number(payload.slice(AHEAD_OF_ACCOUNT + 2, AHEAD_OF_ACCOUNT + 4));
  const at = AHEAD_OF_ACCOUNT + 4 + accountLength + AFTER_ACCOUNT;
  const field = `54${String(amount.length).padStart(2, '0')}${amount}`;
  const body = payload.slice(0, at) + field + payload.slice(at, -4);
  return body + crc16(body);
}

/**
 * The BR Code text of a charge (BCB, Manual do BR Code and Manual de Padrões para Iniciação do Pix):
 * with `url` dynamic and for single use (point of initiation 12, txid `***`), with `key` static.
 * @throws RangeError when amount, txid, address or key don't fit the standard.
 */
export function pixPayload(input: PixPayloadInput): string {
  const { amountMinor, txid } = input;
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1)
    throw new RangeError('amountMinor is not positive');
  const receiver = {
    merchantName: asciiOr('NAO INFORMADO', input.merchantName),
    merchantCity: asciiOr('BRASIL', input.merchantCity),
  };
  const amount = amountMinor / 100;
  const payload =
    'url' in input
      ? generatePixPayload({ ...receiver, url: input.url })
      : generatePixPayload({ ...receiver, key: input.key, amount, txid });
  if (payload === null) throw new RangeError('address, key, amount or txid does not fit a BR Code');
  return 'url' in input ? withAmount(payload, amount.toFixed(2)) : payload;
}

/** Modules of light around a QR code that scanners need (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** An SVG document with the text as a black QR code on white, quiet zone included, error correction M. */
export function qrSvg(payload: string): string {
  const svg = encodeQR(payload, 'svg', { ecc: 'medium', border: QUIET_ZONE });
  // On its own the drawing has no background, and no size where the page gives it none.
  return svg.replace(
    /^<svg ([^>]*)>/,
    '<svg width="480" height="480" shape-rendering="crispEdges" $1><rect width="100%" height="100%" fill="#fff"/>',
  );
}
