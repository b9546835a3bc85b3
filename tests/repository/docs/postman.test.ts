// The Postman collection has every operation, and its script signs requests as the API expects.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { postmanCollection, SIGN } from '../../../docs/.vitepress/postman.ts';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';

interface Item {
  name: string;
  item?: Item[];
  request?: { method: string; url: { path: string[] } };
}

const requests = ({ item, ...one }: Item): Item[] => (item ? item.flatMap(requests) : [one]);

test('the collection has every operation of the OpenAPI documents, under its path', () => {
  const collection = postmanCollection() as unknown as Item;
  const found = requests(collection).map(
    ({ request }) => `${request?.method} /${request?.url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  const expected = ['default-integration', 'payments', 'oauth', 'v1'].flatMap((name) => {
    const { paths } = JSON.parse(readFileSync(`docs/openapi/${name}.json`, 'utf8'));
    return Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
  });
  expect(found.sort()).toEqual(expected.sort());
});

test('the script signs the method, the target with its query, and the body', () => {
  const apiKey = `sk_test_${'a'.repeat(32)}`;
  const body = '{"amount":{{amount}}}';
  const set: Record<string, string> = {};
  const replaceIn = (text: string) => text.replace('{{amount}}', '123');
  const pm = {
    variables: { get: () => apiKey, replaceIn },
    request: {
      method: 'POST',
      url: { getPathWithQuery: () => '/payments/invoices?a=1' },
      body: { isEmpty: () => false, toString: () => body, update: () => {} },
      headers: {
        upsert: ({ key, value }: { key: string; value: string }) => Object.assign(set, { [key]: value }),
      },
    },
  };
  // The functions of crypto-js that the script uses.
  const cryptoJs = {
    SHA256: (text: string) => createHash('sha256').update(text).digest('hex'),
    HmacSHA256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
  };
  new Function('pm', 'require', SIGN.join('\n'))(pm, () => cryptoJs);
  const [, timestamp = ''] = /:(\d+):/.exec(set.Authorization ?? '') ?? [];
  const signature = signRequest(apiKey, {
    ...{ timestamp, method: 'POST', target: '/payments/invoices?a=1' },
    body: new TextEncoder().encode('{"amount":123}'),
  });
  expect(set.Authorization).toBe(`SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`);
});
