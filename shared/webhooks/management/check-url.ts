// Whether deliveries may be sent to an address.
import { ApiError } from '../../platform/errors.ts';

/** Where webhooks of this deployment may lead. */
export interface DestinationRules {
  allowInsecure: boolean;
  /** Every address of a name; none when it has none, or cannot be resolved. */
  resolve(host: string): Promise<string[]>;
}

/** As the table has it: parsers of URLs put up with more. A name of other letters is written in its ASCII form (xn--...). */
const PLAIN_URL = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?([/?#]\S*)?$/i;

/** Throws `validation` naming `url` when nothing may ever be sent there; a name without an address may get one later. */
export async function checkUrl(url: string, rules: DestinationRules): Promise<void> {
  // Loaded where an address is saved, which few requests do.
  const { checkDestination, DestinationError } = await import('../delivery/destinations.ts');
  if (!PLAIN_URL.test(url)) throw forbiddenUrl('must be a URL with a host, without spaces and credentials');
  if (isAddressInDisguise(url)) throw forbiddenUrl('must write an address as four decimal numbers with dots');
  try {
    await checkDestination(url, rules);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    if (error.rule === 'unresolvable') return;
    throw forbiddenUrl(`is not allowed: ${error.message}`);
  }
}

/** Whether the host is an IPv4 address in another spelling, such as 2130706433 or 0x7f000001, which hides where it leads. */
function isAddressInDisguise(url: string): boolean {
  const [, written = ''] = PLAIN_URL.exec(url) ?? [];
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /^\d+(\.\d+){3}$/.test(host) && written.replace(/\.$/, '') !== host;
}

const forbiddenUrl = (message: string) =>
  new ApiError('validation', 'Fix these fields.', { details: [{ field: 'url', message }] });
