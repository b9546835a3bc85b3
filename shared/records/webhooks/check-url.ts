// Whether deliveries may be sent to an address.
import { ApiError } from '../../platform/errors.ts';

/** Where webhooks of this deployment may lead. */
export interface DestinationRules {
  allowInsecure: boolean;
  /** Every address of a name; none when it has none, or cannot be resolved. */
  resolve(host: string): Promise<string[]>;
}

/** As the table has it: parsers of URLs put up with more. */
const PLAIN_URL = /^https?:\/\/[^/?#@\\\s]+([/?#]\S*)?$/i;

/** Throws `validation` naming `url` when nothing may ever be sent there; a name without an address may get one later. */
export async function checkUrl(url: string, rules: DestinationRules): Promise<void> {
  // Loaded where an address is saved, which few requests do.
  const { checkDestination, DestinationError } = await import('../../webhooks/destinations.ts');
  if (!PLAIN_URL.test(url)) throw forbiddenUrl('must be a URL with a host, without spaces and credentials');
  try {
    await checkDestination(url, rules);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    if (error.rule === 'unresolvable') return;
    throw forbiddenUrl(`is not allowed: ${error.message}`);
  }
}

const forbiddenUrl = (message: string) =>
  new ApiError('validation', 'Fix these fields.', { details: [{ field: 'url', message }] });
