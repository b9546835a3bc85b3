// Allowed webhook URLs: the database applies the same rules as the records interface to every role.
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { cloudNetworks, reservedNames } from '../../shared/webhooks/delivery/destinations.ts';
import { checkUrl } from '../../shared/webhooks/management/check-url.ts';
import { connectDatabase, createTenant } from '../support/database.ts';
import { createWebhook } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();

const allowedByApi = (url: string) =>
  checkUrl(url, { allowInsecure: false, resolve: async () => ['1.1.1.1'] }).then(
    () => true,
    () => false,
  );

/** As in production. null if the table itself rejects the URL. */
const allowedBySql = (urls: string[]) =>
  sql.begin(async (tx) => {
    await tx`update private.deployment set environment = 'production'`;
    const rows = await tx`
      select private.refused_destination(url) is null as allowed
      from unnest(${urls}::text[]) with ordinality as u (url, place) order by place`;
    await tx`update private.deployment set environment = 'staging'`;
    return rows.map(({ allowed }) => Boolean(allowed));
  });

/** The first and the last address of a network, and the addresses next to them. */
function around(network: string): string[] {
  const [address, bits] = ipaddr.parseCIDR(network);
  const bytes = address.toByteArray();
  const whole = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const size = 1n << BigInt(bytes.length * 8 - bits);
  const top = 1n << BigInt(bytes.length * 8);
  const start = whole - (whole % size);
  return [start - 1n, start, start + size - 1n, start + size]
    .filter((number) => number >= 0n && number < top)
    .map((number) => {
      const hex = number.toString(16).padStart(bytes.length * 2, '0');
      const parsed = ipaddr.fromByteArray(hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? []);
      return parsed.kind() === 'ipv6' ? `[${parsed.toString()}]` : parsed.toString();
    });
}

async function compare(urls: string[]): Promise<void> {
  const api = await Promise.all(urls.map(allowedByApi));
  const database = await allowedBySql(urls);
  const verdicts = (allowed: boolean[]) =>
    urls.map((url, i) => `${url} ${allowed[i] ? 'allowed' : 'refused'}`);
  expect(verdicts(database)).toEqual(verdicts(api));
}

describe('the database and the interface agree', () => {
  test('at the edges of every network that either of them lists', async () => {
    const [row] = await sql`select private.reserved_networks()::text[] as networks`;
    const known = [ipaddr.IPv4, ipaddr.IPv6].flatMap(({ prototype }) =>
      // The types of the library do not declare its ranges.
      Object.values((prototype as unknown as { SpecialRanges: Record<string, unknown[]> }).SpecialRanges),
    );
    const networks = known.flatMap(
      (range) => (Array.isArray(range[0]) ? range : [range]) as [object, number][],
    );
    const all = [
      ...(row?.networks ?? []),
      ...cloudNetworks,
      ...networks.map(([address, bits]) => `${address}/${bits}`),
      '127.0.0.0/8',
    ];
    expect(all.length).toBeGreaterThan(60);
    await compare([...new Set(all.flatMap(around))].map((host) => `https://${host}/`));
  });

  test('on host names', async () => {
    const [row] = await sql`select private.reserved_names() as names`;
    const names = [
      ...(row?.names ?? []),
      ...reservedNames,
      'localhost',
      'metadata.google.internal',
      'example.com',
      'internal.example.com',
    ];
    await compare(names.flatMap((name) => [`https://${name}/`, `https://A.${name.toUpperCase()}.:8443/x`]));
  });

  test('on addresses in other notations', async () => {
    const hosts = [
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '134744072',
      '0x8.8.8.8',
      '8.8.8.8',
      '8.8.8.8.',
    ];
    await compare(
      [...hosts, '[2001:4860:4860:0::8888]', '[::ffff:8.8.8.8]'].map((host) => `https://${host}/`),
    );
  });

  test('on schemes, credentials and ports', async () => {
    await compare([
      'http://example.com',
      'ftp://example.com',
      'https://user@example.com',
      'https://example.com:65535',
      'https://example.com:65536',
    ]);
  });
});

test.each([
  'https://10.0.0.1/',
  'https://168.63.129.16/',
  'https://100.100.100.200/',
  'https://[fd00:ec2::254]/',
  'https://metadata.google.internal/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'https://%31%32%37.0.0.1/',
  'https://１27.0.0.1/',
])('an admin cannot save %s, neither with a function nor manually', async (url) => {
  const { id } = await createTenant(sql);
  await expect(createWebhook(sql, id, url)).rejects.toThrow(/url/);
  const { id: webhook } = await createWebhook(sql, id, 'https://example.com');
  await expect(sql`update webhook_endpoints set url = ${url} where id = ${webhook}`).rejects.toThrow(/url/);
});
