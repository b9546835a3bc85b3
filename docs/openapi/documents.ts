// The OpenAPI documents, made from the endpoints of the functions: one document for each function that integrators call.
import { OpenAPIHono } from '@hono/zod-openapi';
import { syncOperations } from '../../functions/default-integration/sync.openapi.ts';
import { syncEndpoints } from '../../functions/default-integration/sync.ts';
import { oauthRoutes } from '../../functions/oauth/app.ts';
import { oauthOperations } from '../../functions/oauth/oauth.openapi.ts';
import { paymentsEndpoints } from '../../functions/payments/app.ts';
import type { Dependencies as PaymentsDependencies } from '../../functions/payments/dependencies.ts';
import { paymentsOperations } from '../../functions/payments/operations.ts';
import { recordsEndpoints } from '../../functions/v1/app.ts';
import { recordsOperations } from '../../functions/v1/operations.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import type { Operation } from '../../shared/platform/http/openapi.ts';

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

/** For endpoints that are described and never called. */
const unused: PaymentsDependencies = {
  database: notCalled(),
  queue: notCalled(),
  providers: notCalled(),
  sandbox: notCalled(),
  files: notCalled(),
  functionsUrl: '',
};

function notCalled<T extends object>(): T {
  // Whatever it is, nobody looks into it.
  return {} as T;
}

interface Source {
  title: string;
  description: string;
  endpoints: Readonly<Record<string, Pick<Endpoint, 'method' | 'path'>>>;
  /** What is said of each endpoint, by the same names, which become `operationId`. */
  operations: Readonly<Record<string, Operation>>;
  schemes: (keyof typeof schemes)[];
}

const sources: Record<string, Source> = {
  'default-integration': {
    title: 'Placar: activity sync',
    description: 'An external CRM sends collaborators and the numbered activities that they did.',
    endpoints: syncEndpoints,
    operations: syncOperations,
    schemes: ['signature', 'bearer'],
  },
  payments: {
    title: 'Placar: payments',
    description:
      'Invoices, Brazilian tax documents, payouts and a ledger, whichever provider is behind them.',
    endpoints: paymentsEndpoints(unused),
    operations: paymentsOperations,
    schemes: ['signature'],
  },
  v1: {
    title: 'Placar: records',
    description:
      'Leads, deals, users, teams and webhooks, in the names of variant A; /opportunities and /pipeline in those of variant B. docs/variants.md has the others.',
    endpoints: recordsEndpoints({ allowInsecure: false, resolve: async () => [] }),
    operations: recordsOperations,
    schemes: ['token'],
  },
  oauth: {
    title: 'Placar: access tokens',
    description: 'Access tokens of the records interface, and the public keys that check them.',
    endpoints: oauthRoutes,
    operations: oauthOperations,
    schemes: ['client'],
  },
};

function render(name: string, source: Source): string {
  const app = new OpenAPIHono();
  for (const scheme of source.schemes) {
    app.openAPIRegistry.registerComponent('securitySchemes', scheme, schemes[scheme]);
  }
  for (const [operationId, { method, path }] of Object.entries(source.endpoints)) {
    const operation = source.operations[operationId];
    if (!operation) throw new Error(`${name}: nothing describes ${operationId}`);
    // Hono writes :name, OpenAPI {name}.
    const openApiPath = `/${name}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    app.openAPIRegistry.registerPath({ operationId, ...operation, method, path: openApiPath });
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
export const openApiDocuments = (): Record<string, string> =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, render(name, source)]));
