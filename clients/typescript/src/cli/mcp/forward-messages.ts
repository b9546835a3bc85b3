// Forwards MCP messages from stdin to the server, and its responses to stdout, one message per line.

import { createInterface } from 'node:readline';
import manifest from '../../../package.json' with { type: 'json' };
import { accessTokens } from '../../core/authorizers.ts';
import { toJson } from '../../core/json.ts';
import { functionsUrl } from '../../core/options.ts';
import type { Authorizer } from '../../core/transport.ts';
import type { Context } from '../context.ts';
import { required } from '../settings.ts';
import { headersOf, parseMessage, type RpcMessage, readMessages } from './messages.ts';

const WHAT = 'placar mcp';

/** Resolves when stdin has ended and every request has a response. Throws if the server issues no token. */
export async function forwardMessages(
  { settings, signal }: Context,
  scope: string | undefined,
): Promise<undefined> {
  const { url, clientId, clientSecret } = required(settings, ['url', 'clientId', 'clientSecret'], WHAT);
  const address = `${functionsUrl(url)}/mcp`;
  const tokens = accessTokens({ url, clientId, clientSecret }, { resource: address, scope });
  const server = new Server(address, tokens, signal);
  // Fail immediately for wrong credentials instead of with the first message.
  await server.authorization();
  const lines = createInterface({ input: process.stdin });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  const pending = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const answering = answerLine(server, line).finally(() => pending.delete(answering));
    pending.add(answering);
    // The response to a handshake determines how the next messages are sent.
    if (parseMessage(line)?.method === 'initialize') await answering;
  }
  await Promise.all(pending);
}

const print = (message: object) => void process.stdout.write(`${toJson(message)}\n`);

const fault = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

async function answerLine(server: Server, line: string): Promise<void> {
  const message = parseMessage(line);
  if (!message) return print(fault(null, -32700, 'The line is not a JSON object.'));
  try {
    for (const answer of await server.send(message, line)) print(answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (message.id !== undefined) print(fault(message.id, -32603, `The server did not respond: ${reason}`));
  }
}

class Server {
  readonly #address: string;
  readonly #tokens: Authorizer;
  readonly #signal: AbortSignal;
  /** The revision that a handshake chose. */
  #revision: string | undefined;

  constructor(address: string, tokens: Authorizer, signal: AbortSignal) {
    this.#address = address;
    this.#tokens = tokens;
    this.#signal = signal;
  }

  async authorization(): Promise<string> {
    return await this.#tokens.authorization(
      { method: 'POST', target: '/mcp', repeatable: true },
      this.#signal,
    );
  }

  /** Returns the messages of the response; none for a notification. */
  async send(message: RpcMessage, line: string): Promise<object[]> {
    const response = await this.#post(message, line);
    const answers = readMessages(await response.text(), response.headers.get('content-type') ?? '');
    if (message.id === undefined) return [];
    if (answers.length === 0)
      return [fault(message.id, response.status, `The server responded with ${response.status}.`)];
    // Errors that precede the reading of a message have no id.
    const own = answers.map((one) => ('method' in one ? one : { ...one, id: one.id ?? message.id }));
    const revision = message.method === 'initialize' ? own[0]?.result?.protocolVersion : undefined;
    if (revision !== undefined) this.#revision = revision;
    return own;
  }

  async #post(message: RpcMessage, line: string): Promise<Response> {
    const post = async (authorization: string) =>
      await fetch(this.#address, {
        method: 'POST',
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'User-Agent': `placar-mcp/${manifest.version}`,
          ...headersOf(message, this.#revision),
        },
        body: line,
        signal: this.#signal,
      });
    const authorization = await this.authorization();
    const response = await post(authorization);
    if (response.status !== 401 || !this.#tokens.renew?.(authorization)) return response;
    return await post(await this.authorization());
  }
}
