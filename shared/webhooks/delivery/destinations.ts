// Checks webhook destinations: private, loopback and reserved addresses are not allowed.
import ipaddr from 'ipaddr.js';

/** The rule that a destination violates. */
type DestinationRule = 'malformed' | 'scheme' | 'credentials' | 'reserved_address' | 'unresolvable';

export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  readonly rule: DestinationRule;

  constructor(rule: DestinationRule, message: string) {
    super(message);
    this.rule = rule;
  }
}

interface DestinationOptions {
  /** Additionally allows http and loopback addresses. */
  allowInsecure: boolean;
  /** All addresses of a name. Throws or returns an empty array if there are none. */
  resolve(host: string): Promise<string[]>;
}

/** A destination with checked addresses. Connect to one of these instead of resolving the name again. */
export interface Destination {
  url: URL;
  addresses: string[];
}

/**
 * Cloud services at public-looking addresses that are reachable only from within the cloud: Azure's host, IBM's network. Other clouds
 * use reserved ranges (169.254.169.254, Alibaba's 100.100.100.200, fd00:ec2::254). Must match `private.reserved_networks` and
 * `private.reserved_names` in `database/webhooks/urls.sql`; a test compares them.
 */
export const cloudNetworks = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'];
const clouds = cloudNetworks.map((network) => ipaddr.IPv4.parseCIDR(network));
/** Names of cloud metadata services and private networks. They and their subdomains are rejected without resolving them. */
export const reservedNames = [
  'internal',
  'local',
  'metadata',
  'instance-data',
  'metadata.goog',
  'metadata.packet.net',
  'metadata.tencentyun.com',
];
/** The allocated global range; excludes IPv4 addresses embedded in IPv6. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const LOOPBACK = ['127.0.0.1', '::1'];

function isAllowed(address: string, allowInsecure: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (allowInsecure && range === 'loopback') return true;
  if (range !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_IPV6);
  return !clouds.some((network) => parsed.match(network));
}

const isReservedName = (host: string): boolean =>
  reservedNames.some((name) => host === name || host.endsWith(`.${name}`));

function parse(text: string, allowInsecure: boolean): URL {
  if (!URL.canParse(text)) throw new DestinationError('malformed', 'it is not a valid URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowInsecure && url.protocol === 'http:')) {
    throw new DestinationError('scheme', 'it must begin with https://');
  }
  if (url.username || url.password)
    throw new DestinationError('credentials', 'it must not contain credentials');
  return url;
}

async function addressesOf(host: string, resolve: DestinationOptions['resolve']): Promise<string[]> {
  // The URL parser has normalized the address.
  if (ipaddr.isValid(host)) return [host];
  // Always loopback, without resolving (RFC 6761).
  if (host === 'localhost' || host.endsWith('.localhost')) return LOOPBACK;
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length > 0) return addresses;
  throw new DestinationError('unresolvable', `"${host}" does not resolve to an address`);
}

/** Checks a webhook's URL and all addresses that it resolves to. Throws a `DestinationError` with the violated rule. */
export async function checkDestination(
  text: string,
  { allowInsecure, resolve }: DestinationOptions,
): Promise<Destination> {
  const url = parse(text, allowInsecure);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const addresses = isReservedName(host) ? [] : await addressesOf(host, resolve);
  if (addresses.length === 0 || !addresses.every((address) => isAllowed(address, allowInsecure))) {
    throw new DestinationError(
      'reserved_address',
      `"${host}" is, or resolves to, a private, loopback or otherwise reserved address`,
    );
  }
  return { url, addresses };
}
