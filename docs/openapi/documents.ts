// The OpenAPI documents, made from the endpoints of the functions: one document for each function that integrators call.
import { OpenAPIHono } from '@hono/zod-openapi';
import { sync } from '../../functions/default-integration/sync.ts';
import { oauthRoutes } from '../../functions/oauth/app.ts';
import { paymentsEndpoints } from '../../functions/payments/app.ts';
import type { Dependencies } from '../../functions/payments/dependencies.ts';
import { recordsEndpoints } from '../../functions/v1/app.ts';
import { createProviders } from '../../shared/payments/providers/routing.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';

const schemes = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`SVC-SIGN-V1 <API_KEY>:<TIMESTAMP>:<SIGNATURE>`; docs/authentication.md says how to sign.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The earlier form: the API key itself.' },
  client: {
    type: 'http',
    scheme: 'basic',
    description: 'Client id and secret of an OAuth client; they may stand in the body instead.',
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of POST /oauth/token.',
  },
} as const;

/** Dependencies for endpoints that are described and never called. */
const unused = { providers: createProviders([]), sandbox: {}, renderer: {} } as unknown as Dependencies;

interface Source {
  title: string;
  description: string;
  endpoints: Pick<Endpoint, 'method' | 'path' | 'docs'>[];
  schemes: (keyof typeof schemes)[];
}

const sources: Record<string, Source> = {
  'default-integration': {
    title: 'Placar: activity sync',
    description: 'An external CRM sends collaborators and the numbered activities that they did.',
    endpoints: [sync],
    schemes: ['signature', 'bearer'],
  },
  payments: {
    title: 'Placar: payments',
    description:
      'Invoices, Brazilian tax documents, payouts and a ledger, whichever provider is behind them.',
    endpoints: paymentsEndpoints(unused),
    schemes: ['signature'],
  },
  v1: {
    title: 'Placar: records',
    description:
      'Leads, deals, users, teams and webhooks, in the names of variant A; /opportunities and /pipeline in those of variant B. docs/variants.md has the others.',
    endpoints: recordsEndpoints({ allowInsecure: false, resolve: async () => [] }),
    schemes: ['token'],
  },
  oauth: {
    title: 'Placar: access tokens',
    description: 'Access tokens of the records interface, and the public keys that check them.',
    endpoints: Object.values(oauthRoutes),
    schemes: ['client'],
  },
};

async function render(name: string, source: Source): Promise<string> {
  const app = new OpenAPIHono();
  for (const scheme of source.schemes) {
    app.openAPIRegistry.registerComponent('securitySchemes', scheme, schemes[scheme]);
  }
  for (const { method, path, docs } of source.endpoints) {
    // Hono writes :name, OpenAPI {name}.
    const openApiPath = `/${name}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    app.openAPIRegistry.registerPath({ ...(await docs()), method, path: openApiPath });
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: source.title, description: source.description, version: '1' },
    servers: [
      { url: 'http://127.0.0.1:54321/functions/v1', description: 'Local stack' },
      {
        url: 'https://{project}.supabase.co/functions/v1',
        description: 'A deployment',
        variables: { project: { default: 'your-project' } },
      },
    ],
  });
  return `${JSON.stringify(withSharedResponses(document), null, 2)}\n`;
}

type Json = Record<string, unknown>;

/** `Failure404`, or `Failure404b` where that is taken. */
function nameOf(status: string, taken: Json): string {
  let name = `Failure${status}`;
  while (name in taken) name += 'b';
  return name;
}

/** Moves responses that several operations have into `components`: most failures are the same everywhere. */
function withSharedResponses(document: object): Json {
  const copy = JSON.parse(JSON.stringify(document)) as { paths: Record<string, Record<string, Json>> } & Json;
  const operations = Object.values(copy.paths).flatMap((methods) => Object.values(methods));
  const uses = new Map<string, number>();
  const each = (visit: (responses: Json, status: string, text: string) => void) => {
    for (const { responses } of operations as { responses: Json }[]) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) visit(responses, status, `${status} ${JSON.stringify(response)}`);
      }
    }
  };
  each((_, _status, text) => uses.set(text, (uses.get(text) ?? 0) + 1));
  const shared: Json = {};
  const names = new Map<string, string>();
  each((responses, status, text) => {
    if ((uses.get(text) ?? 0) < 2) return;
    const name = names.get(text) ?? nameOf(status, shared);
    names.set(text, name);
    shared[name] ??= responses[status];
    responses[status] = { $ref: `#/components/responses/${name}` };
  });
  copy.components = { ...(copy.components as Json), ...(names.size > 0 && { responses: shared }) };
  return copy;
}

/** The documents as JSON text, by function. */
export async function openApiDocuments(): Promise<Record<string, string>> {
  const entries = Object.entries(sources).map(async ([name, source]) => [name, await render(name, source)]);
  return Object.fromEntries(await Promise.all(entries));
}
