// The messages of MCP: JSON-RPC 2.0 over HTTP, in the revision 2026-07-28 and in two that begin with a handshake.

import { ApiError, type ErrorCode, errorTable } from '../../shared/platform/errors.ts';
import { parseJsonObject } from '../../shared/platform/request/body.ts';
import type { ErrorFormat } from '../../shared/platform/request/error-formats.ts';
import { VERSION } from '../../shared/platform/version.ts';

/** The revision whose requests describe themselves in `_meta`. */
const MODERN_REVISION = '2026-07-28';
/** The revisions with a handshake, the default first. */
export const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18'] as const;
export const REVISIONS: readonly string[] = [MODERN_REVISION, ...HANDSHAKE_REVISIONS];

const META = 'io.modelcontextprotocol/';
const META_SERVER_INFO = `${META}serverInfo`;
export const META_SUBSCRIPTION = `${META}subscriptionId`;
const META_VERSION = `${META}protocolVersion`;
const META_CAPABILITIES = `${META}clientCapabilities`;
const META_CLIENT = `${META}clientInfo`;

const INTERNAL_ERROR = -32603;

/** Error codes of JSON-RPC and MCP, and their names in the request log. */
const rpcErrors = {
  parse: { rpcCode: -32700, reason: 'malformed_body' },
  invalidRequest: { rpcCode: -32600, reason: 'invalid_message' },
  unknownMethod: { rpcCode: -32601, reason: 'unknown_method' },
  invalidParams: { rpcCode: -32602, reason: 'invalid_params' },
  headerMismatch: { rpcCode: -32020, reason: 'header_mismatch' },
  unsupportedVersion: { rpcCode: -32022, reason: 'unsupported_version' },
} as const;

type Members = Readonly<Record<string, unknown>>;

export interface Message {
  /** Absent in a notification. */
  id?: string | number;
  method: string;
  params: Members;
}

/** An error of the protocol. `status` is the one of the response, unless the error is sent with 200. */
export class ProtocolError extends ApiError {
  readonly rpcCode: number;
  readonly data: Members | undefined;

  constructor(
    rpcError: keyof typeof rpcErrors,
    message: string,
    { code = 'malformed_body', data }: { code?: ErrorCode; data?: Members } = {},
  ) {
    const { rpcCode, reason } = rpcErrors[rpcError];
    super(code, message, { reason });
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

/** JSON-RPC error responses. Errors that the protocol does not define have the HTTP status as their code. */
export const mcpErrorFormat: ErrorFormat = (error, { requestId, messageId }) => {
  const { status, envelope } = errorTable[error.code];
  const own = error instanceof ProtocolError ? error : undefined;
  const code = own?.rpcCode ?? (status === 500 ? INTERNAL_ERROR : status);
  const data = own ? own.data : { code: envelope, request_id: requestId, ...error.extra };
  const body = {
    jsonrpc: '2.0',
    id: messageId ?? null,
    error: { code, message: error.message, ...(data && { data }) },
  };
  return { status, contentType: 'application/json', body };
};

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a request or notification. Throws `ProtocolError`. */
export function parseMessage(body: Uint8Array): Message {
  const { jsonrpc, id, method, params = {} } = parseObject(body);
  const invalid = (message: string) => new ProtocolError('invalidRequest', message);
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".');
  if (typeof method !== 'string') throw invalid('method must be a string. Responses are not accepted.');
  if (!isObject(params)) throw invalid('params must be an object.');
  if (id === undefined) return { method, params };
  if (typeof id !== 'string' && !Number.isInteger(id)) throw invalid('id must be a string or an integer.');
  // `Number.isInteger` does not narrow the type.
  return { id: id as string | number, method, params };
}

function parseObject(body: Uint8Array): Members {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new ProtocolError('parse', 'The body is not valid UTF-8 JSON.');
  }
  if (!isObject(value)) throw new ProtocolError('invalidRequest', 'Send one JSON-RPC message per request.');
  try {
    // Checks the limits on depth and members, which operations rely on.
    return parseJsonObject(body);
  } catch (error) {
    throw error instanceof ApiError ? new ProtocolError('invalidRequest', error.message) : error;
  }
}

/** A client's name and version, as it claims. */
interface ClientInfo {
  name: string;
  version: string;
}

/** How to respond to a request. */
export interface Revision {
  isModern: boolean;
  client?: ClientInfo;
}

/** Finds the revision of a request, and checks the headers and `_meta` of that revision. Throws `ProtocolError`. */
export function readRevision({ method, params }: Message, headers: Headers): Revision {
  const sent = headers.get('mcp-protocol-version')?.trim();
  const meta = params._meta;
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined;
  if (claimed === undefined) {
    if (sent === MODERN_REVISION) throw invalidMeta(META_VERSION, 'is required');
    if (sent !== undefined && !REVISIONS.includes(sent)) throw unsupportedVersion(sent);
    return { isModern: false };
  }
  if (typeof claimed !== 'string') throw invalidMeta(META_VERSION, 'must be a string');
  checkHeader('MCP-Protocol-Version', sent, claimed);
  if (claimed !== MODERN_REVISION) throw unsupportedVersion(claimed);
  const { [META_CAPABILITIES]: capabilities, [META_CLIENT]: client } = isObject(meta) ? meta : {};
  if (!isObject(capabilities))
    throw invalidMeta(META_CAPABILITIES, capabilities === undefined ? 'is required' : 'must be an object');
  checkHeader('Mcp-Method', headers.get('mcp-method')?.trim(), method);
  if (method === 'tools/call' && typeof params.name === 'string')
    checkHeader('Mcp-Name', decodeName(headers.get('mcp-name')?.trim()), params.name);
  return { isModern: true, ...(isClientInfo(client) && { client }) };
}

const isClientInfo = (value: unknown): value is ClientInfo =>
  isObject(value) && typeof value.name === 'string' && typeof value.version === 'string';

const invalidMeta = (member: string, rule: string) =>
  new ProtocolError('invalidParams', `_meta["${member}"] ${rule}.`);

const unsupportedVersion = (requested: string) =>
  new ProtocolError('unsupportedVersion', 'Unsupported protocol version.', {
    data: { supported: REVISIONS, requested: requested.slice(0, 64) },
  });

function checkHeader(name: string, sent: string | undefined, expected: string): void {
  if (sent === expected) return;
  const fault = sent === undefined ? 'is missing' : 'differs from the body';
  throw new ProtocolError('headerMismatch', `The header ${name} ${fault}.`);
}

const BASE64_FORM = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** Names with other characters than visible ASCII are sent as `=?base64?...?=`. */
function decodeName(sent: string | undefined): string | undefined {
  const [, encoded] = BASE64_FORM.exec(sent ?? '') ?? [];
  if (encoded === undefined) return sent;
  const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

export const SERVER_INFO = { name: 'placar', title: 'Placar', version: VERSION };

/** A result in the form of the revision 2026-07-28. */
export const completed = (result: object): object => ({
  ...result,
  resultType: 'complete',
  _meta: { [META_SERVER_INFO]: { name: SERVER_INFO.name, version: SERVER_INFO.version } },
});
