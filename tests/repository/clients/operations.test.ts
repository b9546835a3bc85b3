// The TypeScript client has a method for every documented operation: calls each method and looks its request up in the documents.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pythonTypes, typesFile } from '../../../clients/python/generate.ts';
import { Placar } from '../../../clients/typescript/src/index.ts';

type Paths = Record<string, Record<string, { operationId: string; security: object[] }>>;

/**
 * Descriptions and health of the functions are not for clients; stages are listed at two addresses; `placar ledger export` downloads
 * the files.
 */
const WITHOUT = [
  'getHealth',
  'getLiveness',
  'getReadiness',
  'getOpenApiDocument',
  'listPipelineStages',
  'exportBalanceTransactionsCsv',
  'exportBalanceTransactionsOfx',
];

/** Whether an operation needs a token that the client cannot request. */
const isOnlyFor = (schemes: readonly string[], security: object[]): boolean =>
  security.length > 0 && security.flatMap((one) => Object.keys(one)).every((name) => schemes.includes(name));

const operationsOf = (name: string): [string, string][] => {
  const file = new URL(`../../../docs/openapi/${name}.json`, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Paths };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => !isOnlyFor(['person', 'board'], security))
      .map(([method, { operationId }]): [string, string] => [operationId, `${method.toUpperCase()} ${path}`]),
  );
};

/** Calls every method of the client. Returns the method and path of each request. */
async function askedByAllMethods(): Promise<string[]> {
  const asked: string[] = [];
  const answer = (url: string) =>
    url.endsWith('/oauth/token')
      ? { access_token: 'e30.e30.', token_type: 'Bearer', expires_in: 3600 }
      : { data: [], meta: { total_pages: 1 }, has_more: false, next_cursor: 'c', results: [] };
  const placar = new Placar({
    url: 'https://placar.example',
    ...{ apiKey: 'pk_test_0123456789abcdef', clientId: 'client-id-0123', clientSecret: 'client-secret-0123' },
    async fetch(input, init) {
      const { pathname } = new URL(String(input));
      asked.push(`${init?.method} ${pathname.replace('/functions/v1', '')}`);
      return Response.json(answer(pathname));
    },
  });
  const names = Object.getOwnPropertyNames(Placar.prototype).filter((name) => name !== 'constructor');
  for (const name of names) {
    const member: unknown = Reflect.get(placar, name, placar);
    const methods = typeof member === 'function' ? [member.bind(placar)] : Object.values(member as object);
    for (const method of methods) if (typeof method === 'function') await call(method);
  }
  return asked;
}

async function call(method: (...args: unknown[]) => unknown): Promise<void> {
  // Used for ids and bodies, because no response depends on them.
  for (const args of [['x', 'x', 'x'], [], [[{ id: 'x' }]]]) {
    const given = await Promise.resolve()
      .then(() => method(...args))
      .catch(() => undefined);
    if (typeof given === 'object' && given !== null && 'toArray' in given)
      await (given as { toArray(): Promise<unknown> }).toArray().catch(() => undefined);
  }
}

test.each(['default-integration', 'payments', 'v1'])('%s', async (name) => {
  const asked = await askedByAllMethods();
  expect(asked.length).toBeGreaterThan(100);
  const lacking = operationsOf(name).filter(([operationId, address]) => {
    const pattern = new RegExp(`^${address.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    // The console, MCP and scripts use the admin API directly.
    if (/^admin[A-Z]/.test(operationId)) return false;
    return !WITHOUT.includes(operationId) && !asked.some((one) => pattern.test(one));
  });
  expect(lacking).toEqual([]);
});

test('the types of the Python client match the documents', () => {
  expect(readFileSync(typesFile, 'utf8') === pythonTypes(), 'types.py is stale: npm run clients').toBe(true);
});
