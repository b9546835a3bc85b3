// Builds the n8n package and loads its nodes, as n8n does.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const packageFolder = fileURLToPath(new URL('../../../clients/n8n/', import.meta.url));

/** A parameter of a node, or a field of a credential. */
export interface Property {
  name: string;
  displayName: string;
  type: string;
  default: unknown;
  required?: boolean;
  description?: string;
  options?: ({ value: string; name: string } & Partial<Property>)[];
  displayOptions?: { show?: Record<string, unknown[]>; hide?: Record<string, unknown[]> };
}

export interface CredentialUse {
  name: string;
  displayOptions?: NonNullable<Property['displayOptions']>;
}

export interface Description {
  name: string;
  displayName: string;
  usableAsTool?: boolean;
  credentials: CredentialUse[];
  properties: Property[];
  webhooks?: object[];
}

export interface Output {
  json: Record<string, unknown>;
  binary?: Record<string, { text: string; fileName: string; mimeType: string }>;
  error?: Error;
  pairedItem: { item: number };
}

export interface WebhookResult {
  workflowData?: { json: Record<string, unknown> }[][];
  noWebhookResponse?: boolean;
}

interface NodeType {
  description: Description;
  execute(): Promise<Output[][]>;
  webhookMethods: { default: Record<'checkExists' | 'create' | 'delete', () => Promise<boolean>> };
  webhook(): Promise<WebhookResult>;
}

export interface RequestOptions {
  method?: string;
  url: string;
  baseURL?: string;
  headers?: Record<string, string>;
  body?: string;
  qs?: Record<string, unknown>;
  ignoreHttpStatusErrors?: { ignore: true; except: number[] };
}

interface CredentialType {
  name: string;
  extends?: string[];
  properties: Property[];
  authenticate?(data: Record<string, string>, options: RequestOptions): Promise<RequestOptions>;
  test: { request: RequestOptions };
}

export interface BuiltPackage {
  Placar: NodeType;
  PlacarTrigger: NodeType;
  credentials: Record<string, CredentialType>;
}

const files = {
  PlacarOAuth2Api: 'credentials/PlacarOAuth2Api.credentials',
  PlacarApiKeyApi: 'credentials/PlacarApiKeyApi.credentials',
  Placar: 'nodes/Placar/Placar.node',
  PlacarTrigger: 'nodes/PlacarTrigger/PlacarTrigger.node',
};

/** Loads the classes of a folder in which the package was built, as a new process does. */
function load(folder: string): BuiltPackage {
  const require = createRequire(join(folder, 'package.json'));
  for (const path of Object.keys(require.cache)) if (path.startsWith(folder)) delete require.cache[path];
  const [oauth2, apiKey, Placar, PlacarTrigger] = Object.entries(files).map(([name, path]) => {
    const Loaded = require(join(folder, `${path}.js`))[name];
    return new Loaded();
  });
  return { Placar, PlacarTrigger, credentials: { [oauth2.name]: oauth2, [apiKey.name]: apiKey } };
}

async function buildInto(folder: string): Promise<void> {
  const common = { bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' } as const;
  await build({
    ...common,
    entryPoints: Object.values(files).map((path) => `${packageFolder}${path}.ts`),
    outbase: packageFolder,
    outdir: folder,
    external: ['n8n-workflow'],
  });
  await build({
    ...common,
    entryPoints: [fileURLToPath(new URL('./workflow-stand-in.ts', import.meta.url))],
    outfile: join(folder, 'node_modules/n8n-workflow/index.js'),
  });
}

/**
 * The nodes and credentials, built from their sources. With `N8N_NODES=built`: those that `npm run n8n` has built, with the installed
 * `n8n-workflow`.
 */
export async function buildNodes(): Promise<BuiltPackage> {
  if (process.env.N8N_NODES === 'built') return load(`${packageFolder}dist`);
  const folder = mkdtempSync(join(tmpdir(), 'placar-n8n-'));
  try {
    await buildInto(folder);
    return load(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
