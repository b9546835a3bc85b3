// The parts of MCP messages that determine how they are sent over HTTP.
import { parseJson } from '../../core/json.ts';

export interface RpcMessage {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: string };
}

/** Parses a line; undefined if it is not a JSON object. */
export function parseMessage(line: string): RpcMessage | undefined {
  try {
    const value: unknown = parseJson(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {}
  return undefined;
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** The headers that repeat parts of a message. `revision` is the one that a handshake chose. */
export function headersOf(
  { method, params }: RpcMessage,
  revision: string | undefined,
): Record<string, string> {
  const version = params?._meta?.[VERSION];
  if (typeof version !== 'string') return revision ? { 'MCP-Protocol-Version': revision } : {};
  const name = method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined;
  return {
    'MCP-Protocol-Version': version,
    ...(method !== undefined && { 'Mcp-Method': encodeHeader(method) }),
    ...(name !== undefined && { 'Mcp-Name': encodeHeader(name) }),
  };
}

/** The text, or its Base64 form if a header cannot contain it. */
const encodeHeader = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The messages of a response: one in JSON, or those of an event stream. */
export function readMessages(text: string, contentType: string): RpcMessage[] {
  const parts = contentType.startsWith('text/event-stream')
    ? text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
    : [text];
  return parts
    .map(parseMessage)
    .filter((message) => message !== undefined && 'jsonrpc' in message) as RpcMessage[];
}
