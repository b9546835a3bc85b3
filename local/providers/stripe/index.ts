/**
 * Emulates the Stripe API v1, written from its documentation: customers, Checkout sessions in payment mode, payment intents,
 * charges, refunds, disputes, balance and its transactions, payouts, webhook endpoints and events. Behavior that the
 * documentation leaves open is an account option (`options.ts`). See `control-routes.ts` for the control routes.
 */
import { Hono } from 'hono';
import { type ProviderOptions, startProvider, vendorApp } from '../provider-server.ts';
import { VendorError } from '../vendor-error.ts';
import { accountOfKey, keyOf, requireAccess } from './access.ts';
import { accountRoutes } from './account.ts';
import { balanceRoutes } from './balance.ts';
import { StripeControl } from './control.ts';
import { createStripeControlRoutes } from './control-routes.ts';
import { customerRoutes } from './customers.ts';
import { createDesk, newId } from './desk.ts';
import { disputeRoutes } from './disputes.ts';
import { type ErrorBody, rateLimited, StripeError, serverError, unrecognizedUrl } from './errors.ts';
import { takeIdempotently } from './idempotency.ts';
import { chargeRoutes, intentRoutes, paymentMethodRoutes } from './intents.ts';
import { registerJobs } from './jobs.ts';
import { addPages } from './pages.ts';
import { payoutRoutes } from './payouts.ts';
import { refundRoutes } from './refunds.ts';
import type { StripeEnvironment } from './requests.ts';
import { sessionRoutes } from './sessions.ts';
import type { Account } from './state.ts';
import { webhookRules } from './webhook-rules.ts';
import { endpointRoutes, eventRoutes } from './webhooks.ts';

export type StripeOptions = ProviderOptions;

export interface Stripe {
  /** Base URL of the vendor's host. Paths begin with `/v1`. */
  url: string;
  control: StripeControl;
  stop(): Promise<void>;
}

/** Starts the emulator. Create accounts with `control.createAccount`. Throws the listen error if the port is in use. */
export async function startStripe(options: StripeOptions = {}): Promise<Stripe> {
  const running = await startProvider<Account>('stripe', options, (kit) => {
    const desk = createDesk(kit);
    registerJobs(desk);
    const app = vendorApp(serverError);
    app.notFound((c) => unrecognizedUrl(c.req.method, c.req.path).toResponse());
    addPages(app, desk);

    const api = new Hono<StripeEnvironment>();
    api.onError((error, c) => {
      if (error instanceof StripeError) return refusal(error, c.get('requestId'), c.get('account'));
      if (error instanceof VendorError) return error.toResponse();
      console.error('The emulator failed', error);
      return serverError(500);
    });
    api.use(async (c, next) => {
      c.set('requestId', newId('req', 14));
      await next();
      c.res.headers.set('request-id', c.get('requestId'));
    });
    api.use(requireAccess(desk));
    api.use(takeIdempotently(desk));
    api.route('/', accountRoutes(desk));
    api.route('/', balanceRoutes(desk));
    api.route('/customers', customerRoutes(desk));
    api.route('/checkout/sessions', sessionRoutes(desk));
    api.route('/payment_intents', intentRoutes(desk));
    api.route('/payment_methods', paymentMethodRoutes(desk));
    api.route('/charges', chargeRoutes(desk));
    api.route('/refunds', refundRoutes(desk));
    api.route('/disputes', disputeRoutes(desk));
    api.route('/payouts', payoutRoutes(desk));
    api.route('/webhook_endpoints', endpointRoutes(desk));
    api.route('/events', eventRoutes(desk));
    api.all('*', (c) => {
      throw unrecognizedUrl(c.req.method, c.req.path);
    });
    app.route('/v1', api);

    return {
      app,
      control: createStripeControlRoutes(desk),
      rules: webhookRules(() => Object.values(kit.state.accounts)),
      accountOf: (headers) =>
        accountOfKey(desk, keyOf(headers.get('authorization') ?? undefined))?.account.id,
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
