// Checks the URL of a webhook when it is saved.
import { invalid } from '../../platform/errors.ts';

/** Which destinations this deployment allows. */
export interface DestinationRules {
  allowInsecure: boolean;
  /** All addresses of a name; empty if it has none or cannot be resolved. */
  resolve(host: string): Promise<string[]>;
}

/** The same pattern as in the table; URL parsers accept more. Requests have the names of internationalized domains in ASCII form. */
const PLAIN_URL = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/?#]\S*)?$/i;

/** Throws `validation` for `url` if the destination is never allowed. A name that does not resolve is accepted, as it may later. */
export async function checkUrl(url: string, rules: DestinationRules): Promise<void> {
  // Loaded only when a URL is saved, which few requests do.
  const { checkDestination, DestinationError } = await import('../delivery/destinations.ts');
  if (!PLAIN_URL.test(url)) throw forbiddenUrl('must be a URL with a host, without spaces or credentials');
  if (isAddressInDisguise(url))
    throw forbiddenUrl('must write IPv4 addresses as four decimal numbers with dots');
  try {
    await checkDestination(url, rules);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    if (error.rule === 'unresolvable') return;
    throw forbiddenUrl(`is not allowed: ${error.message}`);
  }
}

/** Whether the host is an IPv4 address in an obfuscated form, such as 2130706433 or 0x7f000001. */
function isAddressInDisguise(url: string): boolean {
  const [, written = ''] = PLAIN_URL.exec(url) ?? [];
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /^\d+(\.\d+){3}$/.test(host) && written.replace(/\.$/, '') !== host;
}

const forbiddenUrl = (rule: string) => invalid('field', 'url', rule);
