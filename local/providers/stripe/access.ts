/** Access control: the API key, permissions of restricted keys, the API version, the account header, and rate limits. */
import type { MiddlewareHandler } from 'hono';
import { rateLimited, StripeError } from './errors.ts';
import { readForm, type StripeEnvironment } from './requests.ts';
import type { StripeServices } from './services.ts';
import type { Account, ApiKey } from './state.ts';

/** The key of `Bearer key`, or of `Basic base64(key:)`. */
export function keyOf(authorization: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (authorization ?? '').split(/ +/);
  if (/^bearer$/i.test(scheme)) return value || undefined;
  if (/^basic$/i.test(scheme)) return Buffer.from(value, 'base64').toString().split(':')[0] || undefined;
  return undefined;
}

export function accountOfKey(
  services: StripeServices,
  key: string | undefined,
): { account: Account; key: ApiKey } | undefined {
  for (const account of Object.values(services.kit.state.accounts)) {
    const known = account.keys.find((candidate) => candidate.key === key && candidate.state !== 'deleted');
    if (known !== undefined) return { account, key: known };
  }
  return undefined;
}

const masked = (key: string): string => {
  const [, kind = '', secret = ''] = /^((?:sk|rk|pk)_(?:test|live)_)?(.*)$/.exec(key) ?? [];
  return `${kind}${'*'.repeat(Math.max(secret.length - 4, 0))}${secret.slice(-4)}`;
};

const unauthorized = (message: string, code?: string): StripeError =>
  new StripeError(401, message, code === undefined ? {} : { code }, {
    headers: { 'WWW-Authenticate': 'Basic realm="Stripe"' },
  });

const NO_KEY =
  'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth ' +
  "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we " +
  'can help at https://support.stripe.com/.';

/** Newer versions end with the name of their release. */
const VERSION = /^\d{4}-\d{2}-\d{2}(\.[a-z_]+)?$/;

export function requireAccess(services: StripeServices): MiddlewareHandler<StripeEnvironment> {
  const taken = new Map<string, { second: number; requests: number }>();

  function countRequest(account: Account): void {
    const max = account.options.requestsPerSecond;
    if (max === null) return;
    const second = Math.floor(Date.now() / 1000);
    const known = taken.get(account.id);
    const requests = known?.second === second ? known.requests + 1 : 1;
    taken.set(account.id, { second, requests });
    if (requests > max) throw rateLimited('global-rate');
  }

  return async (c, next) => {
    const given = keyOf(c.req.header('authorization'));
    if (given === undefined) throw unauthorized(NO_KEY);
    const found = accountOfKey(services, given);
    if (found === undefined) throw unauthorized(`Invalid API Key provided: ${masked(given)}`);
    const { account, key } = found;
    if (key.state === 'expired') {
      throw unauthorized(`Expired API Key provided: ${masked(given)}`, 'api_key_expired');
    }
    countRequest(account);
    if (c.req.header('stripe-account') !== undefined) {
      throw new StripeError(
        403,
        `The provided key '${masked(given)}' does not have access to account '${c.req.header('stripe-account')}' ` +
          '(or that account does not exist). Application access may have been revoked.',
        { code: 'account_invalid' },
      );
    }
    const version = c.req.header('stripe-version') ?? account.apiVersion;
    if (!VERSION.test(version)) throw new StripeError(400, `Invalid Stripe API version: ${version}`);
    permit(account, key, c.req.method, c.req.path);
    c.set('account', account);
    c.set('form', await readForm(c));
    await next();
    c.res.headers.set('stripe-version', version);
  };
}

function permit(account: Account, { key, permissions }: ApiKey, method: string, path: string): void {
  const [, , first = '', second = ''] = path.split('/');
  const resource = first === 'checkout' ? `${first}_${second}` : first;
  const allowed = permissions[resource] ?? 'write';
  const wanted = method === 'GET' ? 'read' : 'write';
  if (allowed === 'write' || allowed === wanted) return;
  throw new StripeError(
    403,
    `The provided key '${masked(key)}' does not have the required permissions for this endpoint on account ` +
      `'${account.id}'. Having the 'rak_${resource.replace(/s$/, '')}_${wanted}' permission would allow this request to continue.`,
  );
}
