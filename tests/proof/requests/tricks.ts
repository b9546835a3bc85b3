// Changes to the path, query, headers and bytes of an otherwise valid request.
import { gzipSync } from 'node:zlib';
import { nastyTexts } from './nasty.ts';
import type { Chance } from './random.ts';
import type { WireRequest } from './wire.ts';
import type { World } from './world.ts';

/**
 * Who may respond: `operation` as documented for it, `routing` also as an address without such an operation,
 * `server` also the server in front of the function, which may close the connection.
 */
export type Reach = 'operation' | 'routing' | 'server';

export interface Trick {
  name: string;
  reach: Reach;
  apply(request: WireRequest, chance: Chance, world: World): void;
}

const set = (request: WireRequest, name: string, value: string) => {
  const others = request.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  request.headers = [...others, [name, value]];
};
const text = (request: WireRequest) => request.body?.toString('utf8') ?? '{}';
const bytes = (content: string, encoding: BufferEncoding = 'utf8') => Buffer.from(content, encoding);

const mediaTypes = [
  ...[
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    '',
    '/',
    'json',
  ],
  ...[
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'application/vnd.api+json',
    'application/json;;;=,',
  ],
  ...['application/x-www-form-urlencoded', 'application/json, text/plain', 'application/x-ndjson'],
];
const bodies: ((request: WireRequest) => Buffer)[] = [
  (request) => bytes(text(request), 'latin1'),
  (request) => bytes(text(request), 'utf16le'),
  (request) => bytes(`\ufeff${text(request)}`),
  (request) => bytes(text(request).slice(0, -1)),
  (request) => bytes(`${text(request)}${text(request)}`),
  (request) => bytes(`${text(request)}\u0000`),
  (request) => bytes(text(request).replaceAll('"', "'")),
  (request) => bytes(`/* */${text(request)}`),
  (request) => bytes(`[${text(request)}]`),
  () => Buffer.concat([bytes('{"a":"'), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), bytes('"}')]),
  (request) => bytes(JSON.stringify(text(request))),
  () => bytes('{"a":NaN}'),
  () => bytes(''),
  () => bytes('   '),
  () => bytes('null'),
  () => bytes('{'.repeat(50_000)),
  () => bytes(`{"a":${'['.repeat(101)}${']'.repeat(101)}}`),
  () => bytes(`{${'"a":1,'.repeat(60_000)}"a":1}`),
  () => bytes(`{"__proto__":{"name":"x"},"constructor":{"prototype":{"name":"x"}}}`),
  () => Buffer.alloc(100_000, 0),
  () => Buffer.alloc(200_000, '9'),
];
const paths: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => path.replace(/\/([^/]*)$/, '//$1'),
  (path) => path.replace(/\/([^/]*)$/, '%2f$1'),
  (path) => path.replace(/\/([^/]*)$/, '/..%2f$1'),
  (path) => path.replace(/\/([^/]*)$/, '/../$1'),
  (path) => path.replace(/\/([^/]*)$/, '/./$1'),
  (path) => `${path}/..`,
  (path) => `${path}%00`,
  (path) => `${path}%ff%fe`,
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path};x=1`,
  (path) => `${path}.json`,
  (path) => path.toUpperCase(),
  (path) => `${path}/${'x'.repeat(20_000)}`,
  (path) => `${path}/${'x/'.repeat(2000)}`,
  (path) => `${path}/%25%32%66`,
  (path) => `${path}\\..\\x`,
  (path) => `${path}/é`,
  (path) => path.replace(/([^/])$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
];
const queries = [
  ...[
    '%',
    '%ff%fe',
    'a=%00',
    'page=%00',
    '&&&&',
    '=',
    '?',
    '#x',
    '__proto__[x]=1',
    'a[]=1&a[b]=2&a=3',
    '%00=1',
  ],
  ...['constructor=1&toString=1', 'page=1;drop', 'search=%ff', 'search=%C3%28', 'limit=%F0%9F%98%80', '+=+'],
  `${'a=1&'.repeat(1500)}`,
  `search=${'x'.repeat(7000)}`,
  `search=${'%25'.repeat(500)}`,
  `search=${'_%25\\'.repeat(50)}`,
];
const extraHeaders: ((chance: Chance) => [string, string])[] = [
  () => ['If-None-Match', '*'],
  () => ['If-Match', '"x"'],
  () => ['If-Modified-Since', 'Sat, 21 Nov 2099 00:00:00 GMT'],
  () => ['If-Unmodified-Since', 'never'],
  () => ['Range', 'bytes=0-1'],
  () => ['Range', 'bytes=-99999999999999999999'],
  () => ['Accept', 'text/html;q=nonsense'],
  () => ['Accept', ''],
  () => ['Accept-Encoding', 'gzip, br, zstd, *;q=0'],
  () => ['Accept-Language', 'x'.repeat(500)],
  () => ['X-Forwarded-For', '203.0.113.9, ::1, garbage'],
  () => ['X-Forwarded-Host', 'evil.example.com'],
  () => ['X-HTTP-Method-Override', 'DELETE'],
  () => ['X-Original-URL', '/admin'],
  () => ['Origin', 'https://evil.example.com'],
  () => ['Cookie', 'a=b; __proto__=1'],
  () => ['Forwarded', 'for="[::1]";host=x'],
  () => ['CF-Connecting-IP', '999.999.999.999'],
  () => ['CF-Connecting-IP', 'x'.repeat(300)],
  () => ['CF-Connecting-IP', "'; select 1"],
  () => ['Traceparent', '00-zz'],
  (chance) => ['X-Request-Id', chance.of(['x'.repeat(129), 'a b', 'é', '', "'; select 1", '<b>'])],
  (chance) => ['X-Api-Variant', chance.of(['', 'd', 'A', 'a,b', '__proto__', 'x'.repeat(500), 'é'])],
  (chance) => ['X-Origin', chance.of(['x'.repeat(65), 'é', '<script>', "'; --", ' '])],
];
const keys = [
  '',
  ' ',
  'é',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(5000),
  'same',
  "'; --",
  '__proto__',
  '\u{1F600}',
];

const splitTarget = (target: string) => {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
};

const withBody = (request: WireRequest) => {
  request.body ??= bytes('{}');
};

export const tricks: readonly Trick[] = [
  {
    name: 'media type',
    reach: 'operation',
    apply: (request, chance) => set(request, 'Content-Type', chance.of(mediaTypes)),
  },
  {
    name: 'no media type',
    reach: 'operation',
    apply: (request) => {
      request.headers = request.headers.filter(([name]) => name !== 'Content-Type');
    },
  },
  {
    name: 'encoding',
    reach: 'operation',
    apply(request, chance) {
      set(
        request,
        'Content-Encoding',
        chance.of(['gzip', 'br', 'identity', 'gzip, gzip', 'x'.repeat(99), 'deflate']),
      );
      if (request.body && chance.oneIn(2)) request.body = gzipSync(request.body);
    },
  },
  {
    name: 'body',
    reach: 'operation',
    apply(request, chance) {
      request.body = chance.of(bodies)(request);
    },
  },
  {
    name: 'chunks',
    reach: 'operation',
    apply(request, chance) {
      if (request.body) request.chunkBytes = chance.of([1, 7, 1000, 100_000]);
    },
  },
  {
    name: 'extra header',
    reach: 'operation',
    apply: (request, chance) => set(request, ...chance.of(extraHeaders)(chance)),
  },
  {
    name: 'idempotency key',
    reach: 'operation',
    apply: (request, chance) => set(request, 'Idempotency-Key', chance.of(keys)),
  },
  {
    name: 'no idempotency key',
    reach: 'operation',
    apply: (request) => {
      request.headers = request.headers.filter(([name]) => name !== 'Idempotency-Key');
    },
  },
  {
    name: 'method',
    reach: 'server',
    apply(request, chance) {
      const methods = [
        'PUT',
        'OPTIONS',
        'HEAD',
        'PROPFIND',
        'FOO',
        'get',
        'TRACE',
        'DELETE',
        'PATCH',
        'GET',
        'POST',
      ];
      request.method = chance.of(methods);
    },
  },
  {
    name: 'path',
    reach: 'server',
    apply(request, chance) {
      const [path = '', query = ''] = splitTarget(request.target);
      request.target = chance.of(paths)(path) + query;
    },
  },
  {
    name: 'query',
    reach: 'server',
    apply(request, chance) {
      const joint = request.target.includes('?') ? '&' : '?';
      request.target += joint + chance.of(queries);
    },
  },
  {
    name: 'raw query',
    reach: 'server',
    apply(request, chance) {
      request.target += `${request.target.includes('?') ? '&' : '?'}search=${chance.of(nastyTexts)}`;
    },
  },
  {
    name: 'large headers',
    reach: 'server',
    apply(request, chance) {
      for (let i = 0; i < chance.of([1, 10, 90, 300]); i++) {
        request.headers.push([`X-Filler-${i}`, 'x'.repeat(chance.of([10, 700, 7000]))]);
      }
    },
  },
  {
    name: 'nasty header',
    reach: 'server',
    apply: (request, chance) =>
      void request.headers.push([chance.of(['X-Nasty', 'X-Origin', 'User-Agent']), chance.of(nastyTexts)]),
  },
  {
    name: 'header twice',
    reach: 'server',
    apply(request, chance) {
      if (request.headers.length > 0) request.headers.push(chance.of(request.headers));
    },
  },
  {
    name: 'cut body',
    reach: 'server',
    apply(request, chance) {
      withBody(request);
      request.cutAfter = chance.below(request.body?.length ?? 1);
    },
  },
  {
    name: 'wrong length',
    reach: 'server',
    apply(request, chance) {
      withBody(request);
      request.declaredLength = chance.of([
        '0',
        '1',
        '-1',
        '7000000',
        '99999999999999999999',
        '1e3',
        '0x10',
        'x',
        '',
      ]);
      request.cutAfter = request.body?.length ?? 0;
    },
  },
  {
    name: 'both lengths',
    reach: 'server',
    apply(request) {
      withBody(request);
      request.chunkBytes = 1000;
      request.headers.push(['Content-Length', '3']);
    },
  },
  {
    name: 'too large',
    reach: 'server',
    apply(request, chance) {
      if (chance.below(20) > 0) return;
      request.body = Buffer.alloc(6 * 1024 * 1024 + 1, 0x20);
      if (chance.oneIn(2)) request.chunkBytes = 65_536;
    },
  },
];
