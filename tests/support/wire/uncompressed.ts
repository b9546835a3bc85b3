/**
 * A header of requests by tests. Otherwise their workers would spend a twelfth of their time on unpacking responses; those to the clients in
 * tests/clients are compressed.
 */
export const UNCOMPRESSED = { 'Accept-Encoding': 'identity' };
