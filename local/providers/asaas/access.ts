/** Access control: the API key, its environment, the User-Agent, and rate limits. */
import type { MiddlewareHandler } from 'hono';
import { EmulatedProviderError } from '../emulated-provider-error.ts';
import { hasBody } from '../provider-server.ts';
import { AsaasError, badRequest, rateLimited } from './errors.ts';
import type { AsaasEnvironment } from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account } from './state.ts';

export type Environment = 'sandbox' | 'production';

export const KEY_PREFIXES: Record<Environment, string> = {
  sandbox: '$aact_hmlg_',
  production: '$aact_prod_',
};

const QUOTA_WINDOW_MS = 12 * 60 * 60_000;
const MAX_GETS_AT_ONCE = 50;

const unauthorized = (code: string, description: string): AsaasError =>
  new AsaasError(401, [{ code, description }]);

/** The account of a valid key. Checks nothing else about the request. */
export function accountOfKey(services: AsaasServices, key: string | undefined): Account | undefined {
  return Object.values(services.kit.state.accounts).find(({ apiKeys }) =>
    apiKeys.some((known) => known.enabled && known.key === key),
  );
}

export function requireAccess(
  services: AsaasServices,
  environment: Environment,
): MiddlewareHandler<AsaasEnvironment> {
  const getsInFlight = new Map<string, number>();
  const windows = new Map<string, { startedAtMs: number; used: number }>();

  function countQuota(account: Account): void {
    const { quota } = account;
    if (services.now() >= quota.startedAtMs + QUOTA_WINDOW_MS) {
      quota.startedAtMs = services.now();
      quota.used = 0;
    }
    quota.used += 1;
    if (quota.used <= account.options.quota) return;
    const resetMs = quota.startedAtMs + QUOTA_WINDOW_MS - services.now();
    throw rateLimited(account.options.quota, Math.ceil(resetMs / 1000));
  }

  /** Headers with the remaining requests of this endpoint. */
  function countEndpoint(account: Account, method: string, path: string): Record<string, string> {
    const { requests, seconds } = account.options.endpointLimit;
    const endpoint = `${account.id} ${method} ${path.split('/').slice(0, 3).join('/')}`;
    let window = windows.get(endpoint);
    if (window === undefined || services.now() >= window.startedAtMs + seconds * 1000) {
      window = { startedAtMs: services.now(), used: 0 };
      windows.set(endpoint, window);
    }
    window.used += 1;
    const resetS = Math.ceil((window.startedAtMs + seconds * 1000 - services.now()) / 1000);
    if (window.used > requests) throw rateLimited(requests, resetS);
    return {
      'RateLimit-Limit': String(requests),
      'RateLimit-Remaining': String(requests - window.used),
      'RateLimit-Reset': String(resetS),
    };
  }

  return async (c, next) => {
    // Asaas rejects these requests before they reach the API, so the response has no body.
    if (c.req.method === 'GET' && hasBody(c.env)) throw new EmulatedProviderError(403, undefined);
    const key = c.req.header('access_token');
    if (!key) {
      const message =
        "O cabeçalho de autenticação 'access_token' é obrigatório e não foi encontrado na requisição.";
      throw unauthorized('access_token_not_found', message);
    }
    const [, foreign] = Object.entries(KEY_PREFIXES).find(([name]) => name !== environment) ?? [];
    if (foreign !== undefined && key.startsWith(foreign)) {
      throw unauthorized('invalid_environment', 'A chave de API informada não pertence a este ambiente.');
    }
    const account = accountOfKey(services, key);
    if (account === undefined) {
      throw unauthorized('invalid_access_token', 'A chave de API fornecida é inválida');
    }
    if (!c.req.header('user-agent')) {
      throw badRequest('user_agent_required', 'O cabeçalho User-Agent é obrigatório.');
    }
    c.set('account', account);
    countQuota(account);
    const headers = countEndpoint(account, c.req.method, c.req.path);
    const gets = (getsInFlight.get(account.id) ?? 0) + (c.req.method === 'GET' ? 1 : 0);
    if (gets > MAX_GETS_AT_ONCE) throw rateLimited(MAX_GETS_AT_ONCE, 1);
    getsInFlight.set(account.id, gets);
    try {
      await next();
    } finally {
      if (c.req.method === 'GET') getsInFlight.set(account.id, (getsInFlight.get(account.id) ?? 1) - 1);
    }
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };
}
