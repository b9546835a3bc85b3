/** Namespace of names that are addresses (RFC 9562). */
const NAMESPACE = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';

/** `customerTransactionId` of a payout of ours: the same at every try, so that Wise takes them for one (UUIDv5, RFC 9562). */
export async function transactionIdOf(reference: string): Promise<string> {
  const name = new TextEncoder().encode(`https://placar.dev/payouts/${reference}`);
  const named = new Uint8Array(16 + name.length);
  named.set(NAMESPACE.match(/[0-9a-f]{2}/g)?.map((pair) => Number.parseInt(pair, 16)) ?? []);
  named.set(name, 16);
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-1', named)).slice(0, 16);
  const view = new DataView(bytes.buffer);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x50);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
