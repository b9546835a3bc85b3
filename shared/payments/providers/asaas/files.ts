// Downloads PDF and XML files from the URLs of Asaas' charges and tax documents.
import { traceHeaders } from '../../../platform/tracing/scope.ts';
import { readLimited } from '../../../platform/vendor-json.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../errors.ts';
import { PROVIDER_REQUEST_TIMEOUT_MS } from '../provider-http.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 3;

/** Sends no API key, because the URLs are public. Throws `ProviderRejected` for foreign URLs and for other file types. */
export async function fetchFile(baseUrl: string, address: string, signal: AbortSignal): Promise<Uint8Array> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(PROVIDER_REQUEST_TIMEOUT_MS)]);
  let url = allowed(address, baseUrl);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await requestFile(url, bounded);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      url = allowed(response.headers.get('location') ?? '', baseUrl, url);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new ProviderOutcomeUnknown(`Asaas file: status ${response.status}`);
    }
    return await contentOf(response);
  }
  throw new ProviderRejected('The Asaas file URL redirects too many times.');
}

/** Allows subdomains of asaas.com and the host of the API. */
function allowed(address: string, baseUrl: string, from?: URL): URL {
  const url = URL.canParse(address, from) ? new URL(address, from) : undefined;
  const api = new URL(baseUrl);
  const asaas = url?.protocol === 'https:' && url.port === '' && url.hostname.endsWith('.asaas.com');
  const ours = url?.protocol === api.protocol && url.host === api.host;
  if (!url || url.username || url.password || !(asaas || ours))
    throw new ProviderRejected('The file URL does not belong to Asaas.');
  return url;
}

async function requestFile(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { 'User-Agent': 'Placar', ...traceHeaders() };
    return await fetch(url, { redirect: 'manual', headers, signal });
  } catch (error) {
    throw new ProviderOutcomeUnknown('Asaas file: no response', { cause: error });
  }
}

async function contentOf(response: Response): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length') ?? 0) > MAX_FILE_BYTES) {
    await response.body?.cancel();
    throw new ProviderRejected('The Asaas file is too large.');
  }
  let bytes: Uint8Array;
  try {
    bytes = await readLimited(response, MAX_FILE_BYTES);
  } catch (error) {
    throw new ProviderOutcomeUnknown('Asaas file: download failed or file too large', { cause: error });
  }
  const start = new TextDecoder().decode(bytes.subarray(0, 20));
  // HTML error pages also start with "<", so they are excluded.
  if (!/^(%PDF|<(?!(!doctype )?html))/i.test(start))
    throw new ProviderRejected('The Asaas file is neither PDF nor XML.');
  return bytes;
}
