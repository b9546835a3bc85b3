// The Postman collection of all interfaces, generated from the OpenAPI documents. Its scripts sign requests and fetch tokens.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repository.ts';

type Json = Record<string, unknown>;

const documents = ['default-integration', 'payments', 'oauth', 'v1'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Signs the request as sent: SVC-SIGN-V1 (docs/authentication.md). */
export const SIGN = [
  "const CryptoJS = require('crypto-js');",
  "const key = pm.variables.get('api_key');",
  'const target = pm.variables.replaceIn(pm.request.url.getPathWithQuery());',
  "const body = pm.request.body && !pm.request.body.isEmpty() ? pm.variables.replaceIn(pm.request.body.toString()) : '';",
  'const timestamp = String(Math.floor(Date.now() / 1000));',
  "const lines = [timestamp, pm.request.method, target, CryptoJS.SHA256(body).toString()].join('\\n');",
  'const signature = CryptoJS.HmacSHA256(lines, key).toString();',
  'if (body) pm.request.body.update(body);',
  "pm.request.headers.upsert({ key: 'Authorization', value: 'SVC-SIGN-V1 ' + key + ':' + timestamp + ':' + signature });",
];

/** Fetches an access token, and again shortly before it expires. */
const TOKEN = [
  "if (Number(pm.collectionVariables.get('token_until') || 0) > Date.now()) return;",
  'pm.sendRequest({',
  "  url: pm.variables.get('base_url') + '/oauth/token',",
  "  method: 'POST',",
  "  header: { 'Content-Type': 'application/json' },",
  '  body: {',
  "    mode: 'raw',",
  "    raw: JSON.stringify({ grant_type: 'client_credentials', client_id: pm.variables.get('client_id'), client_secret: pm.variables.get('client_secret') }),",
  '  },',
  '}, (error, response) => {',
  '  if (error) throw error;',
  '  const { access_token: token, expires_in: seconds } = response.json();',
  "  pm.collectionVariables.set('access_token', token);",
  "  pm.collectionVariables.set('token_until', String(Date.now() + (seconds - 60) * 1000));",
  '});',
];

const scripts: Readonly<Record<string, readonly string[]>> = {
  'default-integration': SIGN,
  payments: SIGN,
  v1: TOKEN,
};

const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Follows a reference within the document. */
function resolved(document: Json, value: unknown): Json {
  const { $ref: reference } = asObject(value);
  if (typeof reference !== 'string') return asObject(value);
  const path = reference.replace('#/', '').split('/');
  return path.reduce<Json>((at, name) => asObject(at[name]), document);
}

function bodyOf(document: Json, operation: Json): string | undefined {
  const content = asObject(resolved(document, operation.requestBody).content);
  const { example, examples } = asObject(content['application/json']);
  const [first] = Object.values(asObject(examples));
  const shown = example ?? resolved(document, first).value;
  return content['application/json'] ? JSON.stringify(shown ?? {}, null, 2) : undefined;
}

function requestOf(document: Json, path: string, method: string, operation: Json): Json {
  const parameters = [operation.parameters].flat().map((one) => resolved(document, one));
  const named = (place: string) => parameters.filter((one) => one.in === place);
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const body = bodyOf(document, operation);
  const headers = [
    ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ...named('header').map(({ name, required, description }) => ({
      key: name,
      value: name === 'Idempotency-Key' ? '{{$guid}}' : '',
      description,
      disabled: required !== true && name !== 'Idempotency-Key',
    })),
  ];
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      header: headers,
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
      url: {
        raw: `{{base_url}}/${segments.join('/')}`,
        host: ['{{base_url}}'],
        path: segments,
        query: named('query').map(({ name, description }) => ({
          key: name,
          value: '',
          description,
          disabled: true,
        })),
        variable: named('path').map(({ name, description }) => ({ key: name, value: '', description })),
      },
    },
  };
}

function folderOf(name: string): Json {
  const document = asObject(JSON.parse(readFileSync(join(root, `docs/openapi/${name}.json`), 'utf8')));
  const script = scripts[name];
  const byTag = new Map<string, Json[]>();
  for (const [path, item] of Object.entries(asObject(document.paths)))
    for (const [method, operation] of Object.entries(asObject(item))) {
      if (!METHODS.includes(method)) continue;
      const [tag = 'Service'] = [asObject(operation).tags].flat().map(String);
      byTag.set(tag, [...(byTag.get(tag) ?? []), requestOf(document, path, method, asObject(operation))]);
    }
  return {
    name: asObject(document.info).title,
    item: [...byTag].map(([tag, item]) => ({ name: tag, item })),
    ...(script && { event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: script } }] }),
    auth:
      name === 'v1'
        ? { type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] }
        : { type: 'noauth' },
  };
}

/** The collection, format 2.1. */
export const postmanCollection = (): Json => ({
  info: {
    name: 'Placar',
    description: 'Set base_url, api_key, client_id and client_secret in the variables of the collection.',
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  item: documents.map(folderOf),
  variable: [
    { key: 'base_url', value: 'http://127.0.0.1:54321/functions/v1' },
    ...['api_key', 'client_id', 'client_secret'].map((key) => ({ key, value: '' })),
  ],
});
