// Builds the text of a PIX charge (BR Code, "copia e cola") and its QR code.
import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload';

type PixPayloadInput = {
  /** In centavos, positive. */
  amountMinor: number;
  /** 1 to 25 letters and digits. Only static codes contain it; for dynamic codes, the URL returns it. */
  txid: string;
  /** Reduced to ASCII and 25 characters. */
  merchantName: string;
  /** Reduced to ASCII and 15 characters. */
  merchantCity: string;
} & (
  | {
      /** URL of a dynamic, single-use charge, without scheme, at most 77 characters. */
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

/** The ASCII part of a text, or the fallback if nothing is left, because the field is mandatory. */
function asciiOr(fallback: string, text: string): string {
  const ascii = text.normalize('NFD').replace(/[^\x20-\x7e\s]/g, '');
  return ascii.trim() === '' ? fallback : ascii;
}

const AHEAD_OF_ACCOUNT = '000201010212'.length;
const AFTER_ACCOUNT = '520400005303986'.length;

// In dynamic codes the amount is optional, because the amount at the URL takes precedence, and the library omits it. Adding it lets
// apps that cannot reach the URL display the amount.
function withAmount(payload: string, amount: string): string {
  const accountLength = Number(payload.slice(AHEAD_OF_ACCOUNT + 2, AHEAD_OF_ACCOUNT + 4));
  const at = AHEAD_OF_ACCOUNT + 4 + accountLength + AFTER_ACCOUNT;
  const field = `54${String(amount.length).padStart(2, '0')}${amount}`;
  const body = payload.slice(0, at) + field + payload.slice(at, -4);
  return body + crc16(body);
}

/**
 * The BR Code text of a charge (BCB, Manual do BR Code and Manual de Padrões para Iniciação do Pix):
 * dynamic and single-use with `url` (point of initiation 12, txid `***`), static with `key`.
 * @throws RangeError if the amount, txid, URL or key does not conform to the standard.
 */
export function pixPayload(input: PixPayloadInput): string {
  const { amountMinor, txid } = input;
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1)
    throw new RangeError('amountMinor must be positive');
  const receiver = {
    merchantName: asciiOr('NAO INFORMADO', input.merchantName),
    merchantCity: asciiOr('BRASIL', input.merchantCity),
  };
  const amount = amountMinor / 100;
  const payload =
    'url' in input
      ? generatePixPayload({ ...receiver, url: input.url })
      : generatePixPayload({ ...receiver, key: input.key, amount, txid });
  if (payload === null) throw new RangeError('url, key, amount or txid does not fit a BR Code');
  return 'url' in input ? withAmount(payload, amount.toFixed(2)) : payload;
}
