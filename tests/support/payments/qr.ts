// Reads a QR code from a PNG.
import { decode } from 'fast-png';
import decodeQR from 'qr/decode.js';

/** The text of the QR code, and its size with the narrowest light border, in pixels. */
export function readQrPng(bytes: Uint8Array): { text: string; size: number; border: number } {
  const { width, height, data } = decode(bytes);
  const rgba = Uint8Array.from({ length: data.length * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : Number(data[i >> 2]),
  );
  const dark = [...data.keys()].filter((i) => data[i] === 0);
  const [columns, rows] = [dark.map((i) => i % width), dark.map((i) => Math.floor(i / width))];
  const smallest = (values: number[]) => values.reduce((a, b) => Math.min(a, b));
  const largest = (values: number[]) => values.reduce((a, b) => Math.max(a, b));
  return {
    text: decodeQR({ width, height, data: rgba }),
    size: width,
    border: Math.min(
      smallest(columns),
      smallest(rows),
      width - 1 - largest(columns),
      height - 1 - largest(rows),
    ),
  };
}
