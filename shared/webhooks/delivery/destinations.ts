// Where a webhook may lead: not into this network, nor into anybody's private one.
import ipaddr from 'ipaddr.js';

/** The rule that a destination breaks. */
export type DestinationRule = 'malformed' | 'scheme' | 'credentials' | 'reserved_address' | 'unresolvable';

export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  readonly rule: DestinationRule;

  constructor(rule: DestinationRule, message: string) {
    super(message);
    this.rule = rule;
  }
}

export interface DestinationOptions {
  /** Permits http and loopback addresses, and nothing else. */
  allowInsecure: boolean;
  /** Every address of a name; throws, or gives none, when it has no address. */
  resolve(host: string): Promise<string[]>;
}

/** A destination whose every address was checked. Connect to one of these, and resolve no more. */
export interface Destination {
  url: URL;
  addresses: string[];
}

/**
 * Services of clouds at addresses that look public and answer from within alone: Azure's host, IBM's network. Those of the others
 * are in ranges that nobody may use (169.254.169.254, Alibaba's 100.100.100.200, fd00:ec2::254). Here and in
 * `private.reserved_networks` and `private.reserved_names` of the migrations, which a test compares.
 */
export const cloudNetworks = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'];
const clouds = cloudNetworks.map((network) => ipaddr.IPv4.parseCIDR(network));
/** Names of clouds' metadata and of private networks, and all below them, whatever a resolver says of them. */
export const reservedNames = [
  'internal',
  'local',
  'metadata',
  'instance-data',
  'metadata.goog',
  'metadata.packet.net',
  'metadata.tencentyun.com',
];
/** Beyond it nothing is allocated, IPv4 in disguise included. */
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
  if (!URL.canParse(text)) throw new DestinationError('malformed', 'it is no URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowInsecure && url.protocol === 'http:')) {
    throw new DestinationError('scheme', 'it must begin with https://');
  }
  if (url.username || url.password)
    throw new DestinationError('credentials', 'credentials do not belong in it');
  return url;
}

async function addressesOf(host: string, resolve: DestinationOptions['resolve']): Promise<string[]> {
  // The parser of URLs has brought every spelling of an address to one form.
  if (ipaddr.isValid(host)) return [host];
  // Names of this machine, whatever a resolver says of them (RFC 6761).
  if (host === 'localhost' || host.endsWith('.localhost')) return LOOPBACK;
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length > 0) return addresses;
  throw new DestinationError('unresolvable', `"${host}" has no address`);
}

/** Checks a webhook's URL and every address that it leads to. Throws a `DestinationError` that names the rule. */
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
      `"${host}" leads to a private, loopback or otherwise reserved address`,
    );
  }
  return { url, addresses };
}
