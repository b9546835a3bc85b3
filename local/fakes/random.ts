import { randomInt } from 'node:crypto';

export const DIGITS = '0123456789';
export const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz';
export const UPPERCASE = LOWERCASE.toUpperCase();

/** Random characters of an alphabet. */
export const randomText = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
