// tools/list and tools/call.
import { currentScopesOf } from '../../shared/platform/access/oauth-clients.ts';
import { allowedOf, allows, type Scope } from '../../shared/platform/access/scopes.ts';
import { ApiError, errorTable, insufficientScope } from '../../shared/platform/errors.ts';
import { checkArguments } from './arguments.ts';
import type { Call } from './messages.ts';
import { runOperations } from './operations.ts';
import { isObject, ProtocolError } from './protocol.ts';
import type { Tool } from './tool.ts';
import { failed, succeeded } from './tool-results.ts';
import { type ToolName, tools } from './tools.ts';

/** A tool as clients see it. */
interface ToolDocument {
  name: string;
  inputSchema: { properties: Readonly<Record<string, object>>; required?: readonly string[] };
}

async function loadDocuments(): Promise<readonly ToolDocument[]> {
  const { default: document } = await import('../../docs/openapi/mcp-tools.json', { with: { type: 'json' } });
  // The generated document has more members than this type.
  return document.tools as readonly ToolDocument[];
}

/** The tools that the token permits, limited to the scopes that its client currently has. */
export async function listTools({ token, session }: Call): Promise<readonly ToolDocument[]> {
  const [documents, current] = await Promise.all([loadDocuments(), currentScopesOf(session.read, token)]);
  const isPermitted = ({ scopes }: Tool) => allows(current, allowedOf(token.scopes, scopes));
  return documents.filter(({ name }) => isTool(name) && isPermitted(tools[name]));
}

const isTool = (name: string): name is ToolName => Object.hasOwn(tools, name);

/** Errors that are returned as JSON-RPC errors with their HTTP status. All others become the result of the tool. */
const STATUSES_OF_RESPONSES: readonly number[] = [401, 403, 408, 421, 429, 500, 503];

const LOGGABLE_NAME = /^[\w.-]{1,64}$/;

export async function callTool(call: Call): Promise<object> {
  const { message, requestContext } = call;
  const { name, arguments: given = {} } = message.params;
  const invalid = (text: string) => new ProtocolError('invalidParams', text, { code: 'unprocessable' });
  if (typeof name !== 'string') throw invalid('params.name must be a string.');
  if (LOGGABLE_NAME.test(name)) requestContext.loggedPath += `/${name}`;
  if (!isTool(name)) throw invalid('Unknown tool.');
  if (!isObject(given)) throw invalid('params.arguments must be an object.');
  const tool = tools[name];
  await requireScopes(call, tool.scopesOf?.(given) ?? tool.scopes);
  try {
    const document = (await loadDocuments()).find((one) => one.name === name);
    checkArguments(tool, document?.inputSchema, given);
    return succeeded(await tool.run(given, runOperations(call)));
  } catch (error) {
    if (!(error instanceof ApiError) || STATUSES_OF_RESPONSES.includes(errorTable[error.code].status))
      throw error;
    requestContext.failure = error;
    return failed(error, requestContext.requestId);
  }
}

/** Throws 403 if the token or its client has none of the scopes. The client is checked when a transaction begins. */
async function requireScopes({ token, session }: Call, scopes: readonly Scope[]): Promise<void> {
  session.currentScopes = allowedOf(token.scopes, scopes);
  if (session.currentScopes.length > 0) return;
  await session.admit();
  throw insufficientScope('token', scopes);
}
