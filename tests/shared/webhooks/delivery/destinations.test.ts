import { describe, expect, test } from 'vitest';
import { checkDestination } from '../../../../shared/webhooks/delivery/destinations.ts';

const names: Record<string, string[]> = {
  'example.com': ['1.1.1.1', '2001:4860:4860::8888'],
  'mixed.example.com': ['1.1.1.1', '10.0.0.1'],
  // An attacker's resolver may return anything for such a name.
  'metadata.google.internal': ['1.1.1.1'],
  'mixed6.example.com': ['1.1.1.1', 'fd00::1'],
  'garbage.example.com': ['not an address'],
};
const check = (url: string, allowInsecure = false) =>
  checkDestination(url, { allowInsecure, resolve: async (host) => names[host] ?? [] });
const ruleOf = async (url: string, allowInsecure = false) =>
  check(url, allowInsecure).then(
    () => 'allowed',
    (error) => error.rule,
  );

const RESERVED = [
  '10.254.0.0',
  '172.16.10.65',
  '192.168.10.65',
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '100.100.0.0',
  '192.0.0.255',
  '192.0.2.255',
  '192.88.99.3',
  '198.18.0.0',
  '198.51.100.65',
  '203.0.113.6',
  '224.1.2.3',
  '240.240.240.240',
  '255.255.255.255',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:1.1.1.1]',
  '[::127.0.0.1]',
  '[::8.8.8.8]',
  '[fe80::1]',
  '[febf:ffff::1]',
  '[fec0::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[3fff::1]',
  '[2002:a9fe:a9fe::1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::1]',
  '[4000::1]',
  '168.63.129.16',
  '161.26.0.10',
  '166.9.1.1',
  '100.100.100.200',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'anything.internal',
  'printer.local',
  'instance-data',
];
const LOOPBACK = [
  '127.0.0.1',
  '127.254.254.254',
  '[::1]',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
];

describe('rejected, with https and, where allowed, with http', () => {
  test.each(RESERVED)('%s', async (host) => {
    expect(await ruleOf(`https://${host}/`)).toBe('reserved_address');
    expect(await ruleOf(`https://${host}:8443/hook?x=1`)).toBe('reserved_address');
    expect(await ruleOf(`http://${host}/`, true)).toBe('reserved_address');
  });

  test.each(['mixed.example.com', 'mixed6.example.com', 'mixed.example.com.', 'garbage.example.com'])(
    'a name with any such address: %s',
    async (host) => expect(await ruleOf(`https://${host}/`)).toBe('reserved_address'),
  );

  test.each([
    ['https://user:pass@example.com/', 'credentials'],
    ['https://user@example.com/', 'credentials'],
    ['https://:pass@example.com/', 'credentials'],
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['https://', 'malformed'],
    ['example.com', 'malformed'],
    ['https://256.1.1.1/', 'malformed'],
    ['https://nobody.example.com/', 'unresolvable'],
  ])('%s: %s', async (url, rule) => expect(await ruleOf(url)).toBe(rule));

  test('a resolver that fails', async () => {
    const resolve = () => Promise.reject(new Error('SERVFAIL'));
    await expect(
      checkDestination('https://example.com', { allowInsecure: false, resolve }),
    ).rejects.toMatchObject({ rule: 'unresolvable' });
  });
});

describe('loopback', () => {
  test.each(LOOPBACK)('%s is only for local use', async (host) => {
    expect(await ruleOf(`https://${host}/`)).toBe('reserved_address');
    expect(await ruleOf(`http://${host}/`)).toBe('scheme');
    expect(await ruleOf(`http://${host}/`, true)).toBe('allowed');
  });
});

describe('allowed', () => {
  test.each(['1.1.1.1', '8.8.8.8', '168.63.129.17', '[2001:4860:4860::8888]'])('%s', async (host) => {
    const { addresses } = await check(`https://${host}/`);
    expect(addresses).toEqual([host.replace(/[[\]]/g, '')]);
    expect(await ruleOf(`http://${host}/`, true)).toBe('allowed');
  });

  test('a name returns every checked address', async () => {
    const { url, addresses } = await check('https://EXAMPLE.com./hook');
    expect(url.pathname).toBe('/hook');
    expect(addresses).toEqual(names['example.com']);
  });
});
