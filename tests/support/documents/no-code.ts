// The recipes of docs/no-code.md: their fields, and the requests that Zapier, Make and n8n send for them.
import { type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Values of a table, by field. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** The text of a page below a heading, up to the next heading. */
export const sectionOf = (page: string, heading: string): string =>
  page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

/** Rows of tables with the two columns field and value. The values are the code in the second column. */
export function tablesOf(section: string): Fields[] {
  const tables = section.split('\n\n').filter((part) => part.split('\n')[1] === '|---|---|');
  return tables.map((table) => {
    const rows = table.split('\n').slice(2);
    return Object.fromEntries(
      rows.map((row) => {
        const [, field = '', value = ''] = row.split(/(?<!\\)\|/);
        const codes = Array.from(value.matchAll(/`([^`]+)`/g), ([, code = '']) =>
          code.replaceAll('\\|', '|'),
        );
        return [field.trim(), codes];
      }),
    );
  });
}

/** Replaces the placeholders `{name}` of a recipe. */
export const filled = (fields: Fields, values: Record<string, string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([field, codes]) => [
      field,
      codes.map((code) => code.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)),
    ]),
  );

const basic = (credentials: string) => `Authorization: Basic ${Buffer.from(credentials).toString('base64')}`;

interface ToolRequest {
  headers: string[];
  body?: string | undefined;
}

/** The headers of each tool, in its order. A `Content-Length` is added to requests with a body. */
const tools: Readonly<Record<'zapier' | 'make' | 'n8n', (fields: Fields, host: string) => ToolRequest>> = {
  // As recipients of its requests have published. The order is not known.
  zapier: (fields, host) => {
    const { 'Basic Auth': [pair] = [], Headers = [], Data: [body] = [] } = fields;
    return {
      headers: [
        `Host: ${host}`,
        'User-Agent: Zapier',
        'Accept: */*',
        'Accept-Encoding: gzip, deflate',
        ...Headers,
        ...(pair ? [basic(pair.replace('|', ':'))] : []),
      ],
      body,
    };
  },
  // As recipients have published: names in lower case, and no Accept.
  make: (fields, host) => {
    const { 'Authentication type': [id, secret] = [], 'Body content type': [type] = [] } = fields;
    const { Headers = [], Data: [body] = [] } = fields;
    return {
      headers: [
        'accept-encoding: gzip, br, deflate',
        ...(type ? [`content-type: ${type}`] : []),
        ...Headers,
        ...(id && secret ? [basic(`${id}:${secret}`)] : []),
        `host: ${host}`,
        'user-agent: Make/production',
      ],
      body,
    };
  },
  // Recorded from n8n 2.41.0.
  n8n: (fields, host) => {
    const {
      'Access Token URL': [token] = [],
      'Client ID': [id] = [],
      'Client Secret': [secret] = [],
    } = fields;
    const { Scope: [scope = ''] = [], Headers = [], JSON: [body] = [] } = fields;
    const connection = ['Accept-Encoding: gzip, compress, deflate, br', `Host: ${host}`];
    if (token) {
      return {
        headers: [
          'Accept: application/json, application/x-www-form-urlencoded',
          'Content-Type: application/x-www-form-urlencoded',
          basic(`${id}:${secret}`),
          'User-Agent: axios/1.18.0',
          ...connection,
          'Connection: keep-alive',
        ],
        body: `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`,
      };
    }
    return {
      headers: [
        'Accept: application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7',
        'Content-Type: application/json',
        ...Headers.map((header) => header.replace(/^[^:]+/, (name) => name.toLowerCase())),
        'User-Agent: n8n',
        ...connection,
        'Connection: close',
      ],
      body,
    };
  },
};

export type Tool = keyof typeof tools;

/** Sends the request of a recipe's step as the tool does. `more` are headers that the tool adds by itself. */
export async function sendAs(tool: Tool, fields: Fields, more: string[] = []) {
  const { Method: [method = 'POST'] = [], URL: [address] = [], 'Access Token URL': [token] = [] } = fields;
  const { host, hostname, port, pathname } = new URL(address ?? token ?? '');
  const { headers, body } = tools[tool](fields, host);
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const pairs = [...headers, ...more, ...length].flatMap((line) => line.split(/: (.*)/s).slice(0, 2));
  // Node sends these headers as they are, in this order.
  const request = send({ hostname, port, method, path: pathname, headers: pairs, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(body);
  });
  const decode = decoders[response.headers['content-encoding'] ?? 'identity'];
  const text = decode?.(await buffer(response)).toString();
  return { status: response.statusCode, body: JSON.parse(text ?? '') };
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};
