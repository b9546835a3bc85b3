// SVC-SIGN-V1 with WebCrypto.

const encoder = new TextEncoder();

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Builds the `Authorization` header of one request.
 *
 * @param request.target path that begins with the function's name, with the query exactly as sent
 * @param request.timestamp Unix time in seconds
 */
export async function sign(
  apiKey: string,
  request: { method: string; target: string; body: string; timestamp: number },
): Promise<string> {
  const digest = hex(await crypto.subtle.digest('SHA-256', encoder.encode(request.body)));
  const message = [request.timestamp, request.method, request.target, digest].join('\n');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(apiKey), algorithm, false, ['sign']);
  const signature = hex(await crypto.subtle.sign('HMAC', key, encoder.encode(message)));
  return `SVC-SIGN-V1 ${apiKey}:${request.timestamp}:${signature}`;
}
