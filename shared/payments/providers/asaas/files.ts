// Files that Asaas or a city made: PDFs and XML at addresses that came with a charge or a tax document.
import { ProviderOutcomeUnknown, ProviderRejected } from '../provider.ts';
import { readAtMost, VENDOR_TIMEOUT_MS } from '../vendor-http.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 3;

/** Without our key: the addresses are public. Throws `ProviderRejected` for other addresses and for what is no such file. */
export async function fetchFile(baseUrl: string, address: string, signal: AbortSignal): Promise<Uint8Array> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(VENDOR_TIMEOUT_MS)]);
  let url = allowed(address, baseUrl);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await answered(url, bounded);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      url = allowed(response.headers.get('location') ?? '', baseUrl, url);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new ProviderOutcomeUnknown(`a file of Asaas: status ${response.status}`);
    }
    return await contentOf(response);
  }
  throw new ProviderRejected('A file of Asaas leads from address to address.');
}

/** Subdomains of Asaas', and wherever its API is. */
function allowed(address: string, baseUrl: string, from?: URL): URL {
  const url = URL.canParse(address, from) ? new URL(address, from) : undefined;
  const api = new URL(baseUrl);
  const asaas = url?.protocol === 'https:' && url.port === '' && url.hostname.endsWith('.asaas.com');
  const ours = url?.protocol === api.protocol && url.host === api.host;
  if (!url || url.username || url.password || !(asaas || ours))
    throw new ProviderRejected('The address of a file is none of Asaas.');
  return url;
}

async function answered(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', headers: { 'User-Agent': 'Placar' }, signal });
  } catch (error) {
    throw new ProviderOutcomeUnknown('a file of Asaas: no answer', { cause: error });
  }
}

async function contentOf(response: Response): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length') ?? 0) > MAX_FILE_BYTES) {
    await response.body?.cancel();
    throw new ProviderRejected('A file of Asaas is too large.');
  }
  let bytes: Uint8Array;
  try {
    bytes = await readAtMost(response, MAX_FILE_BYTES);
  } catch (error) {
    throw new ProviderOutcomeUnknown('a file of Asaas did not arrive, or is too large', { cause: error });
  }
  const start = new TextDecoder().decode(bytes.subarray(0, 20));
  // A page that says that something went wrong begins like XML, too.
  if (!/^(%PDF|<(?!(!doctype )?html))/i.test(start))
    throw new ProviderRejected('A file of Asaas is neither PDF nor XML.');
  return bytes;
}
