// The OpenAPI documents, made from the routes of the functions: one document for each function that integrators call.
import { createService as createActivitySync } from '../../functions/default-integration/app.ts';
import type { Env } from '../../shared/env.ts';
import type { App } from '../../shared/http/app.ts';

/** Settings to build an app that is never called; nothing connects before the first request. */
const unused: Env<'app' | 'database' | 'redis'> = {
  APP_ENV: 'staging',
  LOG_LEVEL: 'error',
  SUPABASE_DB_URL: 'postgresql://unused:unused@127.0.0.1:1/unused',
  DATABASE_POOL_SIZE: 1,
  DATABASE_TIMEOUT_MS: 1000,
  UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1',
  UPSTASH_REDIS_REST_TOKEN: 'unused',
};

const schemes = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`SVC-SIGN-V1 <API_KEY>:<TIMESTAMP>:<SIGNATURE>`; docs/authentication.md says how to sign.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The earlier form: the API key itself.' },
} as const;

interface Source {
  title: string;
  description: string;
  app: App;
  schemes: (keyof typeof schemes)[];
}

const sources: Record<string, Source> = {
  'default-integration': {
    title: 'Placar: activity sync',
    description: 'An external CRM sends collaborators and the numbered activities that they did.',
    app: createActivitySync(unused),
    schemes: ['signature', 'bearer'],
  },
};

function render({ title, description, app, schemes: names }: Source): string {
  for (const name of names) app.openAPIRegistry.registerComponent('securitySchemes', name, schemes[name]);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title, description, version: '1' },
    servers: [
      { url: 'http://127.0.0.1:54321/functions/v1', description: 'Local stack' },
      {
        url: 'https://{project}.supabase.co/functions/v1',
        description: 'A deployment',
        variables: { project: { default: 'your-project' } },
      },
    ],
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The documents as JSON text, by function. */
export function openApiDocuments(): Record<string, string> {
  return Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, render(source)]));
}
