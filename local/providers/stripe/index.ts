/**
 * Emulates the Stripe API v1, written from its documentation: customers, Checkout sessions in payment mode, payment intents,
 * charges, refunds, disputes, balance and its transactions, payouts, webhook endpoints and events. Behavior that the
 * documentation leaves open is an account option (`options.ts`). See `control-routes.ts` for the control routes.
 */
import { Hono } from 'hono';
import { EmulatedProviderError } from '../emulated-provider-error.ts';
import { type ProviderOptions, providerApp, startProvider } from '../old/provider-server.ts';
import { accountOfKey, keyOf, requireAccess } from './access.ts';
import { accountRoutes } from './account.ts';
import { balanceRoutes } from './balance.ts';
import { StripeControl } from './control.ts';
import { createStripeControlRoutes } from './control-routes.ts';
import { customerRoutes } from './customers.ts';
import { disputeRoutes } from './disputes.ts';
import { type ErrorBody, rateLimited, StripeError, serverError, unrecognizedUrl } from './errors.ts';
import { idempotencyMiddleware } from './idempotency.ts';
import { chargeRoutes, intentRoutes, paymentMethodRoutes } from './intents.ts';
import { registerJobs } from './jobs.ts';
import { addPages } from './pages.ts';
import { payoutRoutes } from './payouts.ts';
import { refundRoutes } from './refunds.ts';
import type { StripeEnvironment } from './requests.ts';
import { createStripeServices, newId } from './services.ts';
import { sessionRoutes } from './sessions.ts';
import type { Account } from './state.ts';
import { webhookRules } from './webhook-rules.ts';
import { endpointRoutes, eventRoutes } from './webhooks.ts';

export type StripeOptions = ProviderOptions;

export interface Stripe {
  /** Base URL of the provider's host. Paths begin with `/v1`. */
  url: string;
  control: StripeControl;
  stop(): Promise<void>;
}

/** Starts the emulator. Create accounts with `control.createAccount`. Throws the listen error if the port is in use. */
export async function startStripe(options: StripeOptions = {}): Promise<Stripe> {
  const running = await startProvider<Account>('stripe', options, (kit) => {
    const services = createStripeServices(kit);
    registerJobs(services);
    const app = providerApp(serverError);
    app.notFound((c) => unrecognizedUrl(c.req.method, c.req.path).toResponse());
    addPages(app, services);

    const api = new Hono<StripeEnvironment>();
    api.onError((error, c) => {
      if (error instanceof StripeError) return refusal(error, c.get('requestId'), c.get('account'));
      if (error instanceof EmulatedProviderError) return error.toResponse();
      console.error('The emulator failed', error);
      return serverError(500);
    });
    api.use(async (c, next) => {
      c.set('requestId', newId('req', 14));
      await next();
      c.res.headers.set('request-id', c.get('requestId'));
    });
    api.use(requireAccess(services));
    api.use(idempotencyMiddleware(services));
    api.route('/', accountRoutes(services));
    api.route('/', balanceRoutes(services));
    api.route('/customers', customerRoutes(services));
    api.route('/checkout/sessions', sessionRoutes(services));
    api.route('/payment_intents', intentRoutes(services));
    api.route('/payment_methods', paymentMethodRoutes(services));
    api.route('/charges', chargeRoutes(services));
    api.route('/refunds', refundRoutes(services));
    api.route('/disputes', disputeRoutes(services));
    api.route('/payouts', payoutRoutes(services));
    api.route('/webhook_endpoints', endpointRoutes(services));
    api.route('/events', eventRoutes(services));
    api.all('*', (c) => {
      throw unrecognizedUrl(c.req.method, c.req.path);
    });
    app.route('/v1', api);

    return {
      app,
      control: createStripeControlRoutes(services),
      rules: webhookRules(() => Object.values(kit.state.accounts)),
      accountOf: (headers) =>
        accountOfKey(services, keyOf(headers.get('authorization') ?? undefined))?.account.id,
      rateLimited: () => rateLimited('global-rate').toResponse(),
      serverError,
    };
  });
  return { url: running.url, control: new StripeControl(running.url), stop: running.stop };
}

/** Renders an error. Includes the URL of its request log if the account is known. */
function refusal(error: StripeError, requestId: string, account: Account | undefined): Response {
  const response = error.toResponse();
  if (account === undefined || error.status === 401) return response;
  const mode = account.livemode ? '' : 'test/';
  // The constructor of StripeError builds this body.
  const { error: details } = error.body as ErrorBody;
  const logged = { ...details, request_log_url: `https://dashboard.stripe.com/${mode}logs/${requestId}` };
  return Response.json({ error: logged }, { status: error.status, headers: response.headers });
}
