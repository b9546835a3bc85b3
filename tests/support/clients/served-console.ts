// The console as `npx placar console` serves it, for a new tenant.
import type postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import type { ConsoleCredentials } from '../../../clients/console/api/deployment.ts';
import { serveConsole } from '../../../clients/console/serve.tsx';
import { apiKeyScopes, recordsScopes } from '../../../shared/platform/access/scopes.ts';
import { createTenant } from '../database.ts';
import { createOAuthClient } from '../oauth.ts';
import type { Credentials } from './client.ts';

export interface ServedConsole {
  url: string;
  code: string;
  /** The session cookie, as a header value. */
  cookie: string;
  /** Whether the console has stopped by itself. */
  locked: boolean;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: Record<string, string>): Promise<Response>;
  /** Submits the form on the page `path`, with other values. */
  submit(path: string, values: Record<string, string>, hidden?: Record<string, string>): Promise<Response>;
}

/** A tenant with a client and an API key that have all scopes, or only these. */
export async function createOwner(
  sql: postgres.Sql,
  scopes: readonly string[] = recordsScopes,
): Promise<Credentials> {
  const { id, apiKey } = await createTenant(sql, { scopes: [...apiKeyScopes] });
  await allowManyRequests(sql, id);
  const client = await createOAuthClient(sql, id, { scopes: [...scopes] });
  return { tenantId: id, apiKey, clientId: client.client_id, clientSecret: client.client_secret };
}

/** Opening every page makes more requests per minute than the smallest plan allows. */
export const allowManyRequests = (sql: postgres.Sql, tenantId: string) =>
  sql`select admin.set_plan(${tenantId}, 'enterprise')`;

/** Serves the console and opens its session. It ends with the test. */
export async function serveFor(
  credentials: ConsoleCredentials,
  url = `${inject('stack').base_url}/functions/v1`,
): Promise<ServedConsole> {
  const { apiKey, clientId, clientSecret } = credentials;
  const served = await serveConsole({
    url,
    credentials: { apiKey, clientId, clientSecret },
    program: 'placar-console/test',
    onBehalfOf: 'ana@acme.example',
    port: 0,
    onLocked: () => {
      result.locked = true;
    },
  });
  onTestFinished(() => served.close());
  const get: ServedConsole['get'] = (path, headers = {}) =>
    fetch(served.url + path, { redirect: 'manual', headers: { Cookie: result.cookie, ...headers } });
  const post = (path: string, body: Record<string, string>) =>
    fetch(served.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: result.cookie, Origin: served.url },
      body: new URLSearchParams(body),
    });
  const result: ServedConsole = {
    ...served,
    cookie: '',
    locked: false,
    get,
    post,
    async submit(path, values, hidden = {}) {
      const page = await (await get(path)).text();
      return post(path, { ...hiddenFields(page), ...hidden, ...values });
    },
  };
  const opened = await post('/session', { code: served.code });
  result.cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return result;
}

/** Hidden fields of the main form of the page. */
export function hiddenFields(page: string): Record<string, string> {
  const form = /<form method="post"[^>]*class="form"[\s\S]*?<\/form>/.exec(page)?.[0] ?? page;
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name ?? '',
      (value ?? '').replaceAll('&quot;', '"'),
    ]),
  );
}
