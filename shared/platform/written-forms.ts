// One form for text that can be written in several: Unicode's composed form, and the ASCII form of domains.

/** The text in Unicode normalization form C, so that `ç` from a Mac, which may be two code points, equals that of other systems. */
export const composed = (text: string): string =>
  /[\u0300-\uffff]/.test(text) ? text.normalize('NFC') : text;

/** The host name of an internationalized domain in the ASCII form of DNS and mail servers (`xn--...`). Others stay unchanged. */
export function asciiHost(host: string): string {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(host) || /^[\x20-\x7e]+$/.test(host)) return host;
  const url = `http://${host}`;
  const ascii = URL.canParse(url) ? new URL(url).hostname : host;
  // An address whose digits are written with other characters is not a domain.
  return /^[\d.]+$/.test(ascii) ? host : ascii;
}

/** The address with its domain in ASCII form. */
export const asciiEmail = (address: string): string =>
  /^[\x20-\x7e]*$/.test(address) ? address : address.replace(/(?<=@)[^@]+$/, asciiHost);
