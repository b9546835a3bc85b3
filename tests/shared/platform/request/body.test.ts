import { Hono } from 'hono';
import { expect, test } from 'vitest';
import {
  limitDeclaredSize,
  MAX_BODY_BYTES,
  parseJsonObject,
  readBody,
} from '../../../../shared/platform/request/body.ts';

const limits = { deadlineMs: 10_000 };
const bytes = (text: string) => new TextEncoder().encode(text);

function streamed(chunks: number, chunkBytes: number): { request: Request; pulled: () => number } {
  let pulled = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (pulled++ === chunks) controller.close();
      else controller.enqueue(new Uint8Array(chunkBytes));
    },
  });
  const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit;
  return { request: new Request('http://localhost/', init), pulled: () => pulled };
}

test('rejects a declared size over the limit before it reads anything', async () => {
  const app = new Hono();
  app.use(limitDeclaredSize());
  app.onError((error, c) => c.text(error.message, 413));
  app.post('/', (c) => c.text('taken'));
  const answerTo = async (length: number) => {
    const headers = { 'content-length': String(length) };
    return await (await app.request('/', { method: 'POST', headers })).text();
  };
  expect(await answerTo(MAX_BODY_BYTES)).toBe('taken');
  expect(await answerTo(MAX_BODY_BYTES + 1)).toContain('exceeds');
});

test('stops reading once the limit is exceeded', async () => {
  const chunk = 1024 * 1024;
  const fits = streamed(6, chunk);
  expect((await readBody(fits.request, limits)).byteLength).toBe(MAX_BODY_BYTES);
  const over = streamed(1000, chunk);
  await expect(readBody(over.request, limits)).rejects.toThrow('exceeds');
  expect(over.pulled()).toBeLessThan(10);
});

test('accepts 100 levels, rejects 101, and ignores brackets in strings', () => {
  const nested = (levels: number) => bytes(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  expect(parseJsonObject(nested(100))).toBeDefined();
  expect(() => parseJsonObject(nested(101))).toThrow('nested deeper');
  expect(parseJsonObject(bytes(JSON.stringify({ a: '[{"\\'.repeat(200) })))).toBeDefined();
});

test('of duplicate members the last one counts; __proto__ is a member like any other', () => {
  const value = parseJsonObject(bytes('{"a":1,"a":2,"__proto__":{"polluted":true}}'));
  expect(value.a).toBe(2);
  expect(Object.keys(value)).toContain('__proto__');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('aborts a stalled body after its timeout, without reading further', async () => {
  let canceled = false;
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(bytes('{')),
    cancel() {
      canceled = true;
    },
  });
  const request = new Request('http://localhost/', {
    method: 'POST',
    body: stream,
    duplex: 'half',
  } as RequestInit);
  await expect(readBody(request, { deadlineMs: 50 })).rejects.toMatchObject({ code: 'request_timeout' });
  expect(canceled).toBe(true);
});

test('a body that ends early is malformed, which is not an error of the service', async () => {
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(bytes('{')),
    pull: (controller) => controller.error(new TypeError('connection closed before message completed')),
  });
  const request = new Request('http://localhost/', {
    method: 'POST',
    body: stream,
    duplex: 'half',
  } as RequestInit);
  await expect(readBody(request, limits)).rejects.toMatchObject({
    code: 'malformed_body',
    reason: 'incomplete_body',
  });
});

test('members are counted before parsing, ignoring strings', () => {
  const many = (count: number) => bytes(`{"a":[${Array(count).fill(0).join(',')}]}`);
  const limits = { maxMembers: 100 };
  expect(parseJsonObject(many(90), limits).a).toHaveLength(90);
  expect(() => parseJsonObject(many(101), limits)).toThrow('more than 100 members');
  expect(parseJsonObject(bytes(JSON.stringify({ a: ',{['.repeat(200) })), limits)).toBeDefined();
});

test('free-form objects have their own maximum, and everything else has another one', () => {
  const limits = { maxMembers: 500_000, freeFormDepth: 4 };
  const object = (members: number) =>
    Object.fromEntries(Array.from({ length: members }, (_, i) => [`k${i}`, 1]));
  const parse = (value: unknown) => parseJsonObject(bytes(JSON.stringify(value)), limits);
  const items = (count: number, members: number) => ({
    activities: Array.from({ length: count }, () => ({ data: object(members) })),
  });
  expect(parse(items(30, 16_000)).activities).toHaveLength(30);
  expect(() => parse(items(1, 16_386))).toThrow('free-form object has more than 16384');
  expect(() => parse({ activities: [], junk: object(50_001) })).toThrow('more than 50000 members');
  expect(() => parse({ activities: [object(50_001)] })).toThrow('more than 50000 members');
  expect(() => parse(items(63, 8000))).toThrow('more than 500000');
});

test.each<[string, string | undefined]>([
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', undefined],
  ['{"a":"a","b":["a","a"],"c":"{\\"a\\":1,\\"a\\":2}"}', undefined],
  ['{"amount":1,"amount":100000}', 'amount'],
  ['{"x":{"amount" \n:1,"\\u0061mount":2}}', 'amount'],
  ['{"x":[{"a":{},"b":[],"a":1}]}', 'a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('%s: a member twice', (text, repeated) => {
  const parse = () => parseJsonObject(bytes(text), { rejectRepeated: true });
  if (repeated) expect(parse).toThrow(`The body has the member "${repeated}" twice in the same object.`);
  else expect(parse()).toEqual(JSON.parse(text));
  expect(parseJsonObject(bytes(text))).toBeTruthy();
});
