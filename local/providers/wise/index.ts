/**
 * Emulates the Wise Platform API of 2026Q3, written from its documentation: profiles, balances and statements, quotes, forms,
 * recipients, transfers and their funding, SCA, simulation and webhooks. Older API versions work where they do at Wise.
 * Behavior that the documentation leaves open is an account option (`options.ts`). See `control-routes.ts` for the control
 * routes.
 */
import { type ProviderOptions, providerApp, startProvider } from '../old/provider-server.ts';
import { accountOfHeaders, requireToken, traceResponses } from './access.ts';
import { addBalanceRoutes } from './balances.ts';
import { WiseControl } from './control.ts';
import { createWiseControlRoutes } from './control-routes.ts';
import { rateLimited, serverError, systemError } from './errors.ts';
import { addFundingRoute } from './funding.ts';
import { registerJobs } from './jobs.ts';
import { addProfileRoutes } from './profiles.ts';
import { addQuoteRoutes } from './quotes.ts';
import { addRecipientRoutes } from './recipients.ts';
import { WiseRoutes } from './requests.ts';
import { addRequirementRoutes } from './requirements.ts';
import { createWiseServices } from './services.ts';
import { addSimulationRoutes } from './simulation.ts';
import type { Account } from './state.ts';
import { addSubscriptionRoutes, webhookRules } from './subscriptions.ts';
import { addTransferRoutes } from './transfers.ts';

export interface WiseOptions extends ProviderOptions {
  /** `/simulation` exists only in the sandbox. Default: sandbox. */
  environment?: 'sandbox' | 'production';
}

export interface Wise {
  /** Base URL for clients, without a version. */
  url: string;
  /** PEM of the event signing key. */
  publicKey: string;
  control: WiseControl;
  stop(): Promise<void>;
}

/** Starts the emulator. Create accounts with `control.createAccount`. Throws the listen error if the port is in use. */
export async function startWise(options: WiseOptions = {}): Promise<Wise> {
  const { environment = 'sandbox', ...provider } = options;
  const running = await startProvider<Account>('wise', provider, (kit) => {
    const services = createWiseServices(kit);
    registerJobs(services);
    const routes = new WiseRoutes(requireToken(services));
    addProfileRoutes(routes, services);
    addBalanceRoutes(routes, services);
    addQuoteRoutes(routes, services);
    addRequirementRoutes(routes, services);
    addRecipientRoutes(routes, services);
    addTransferRoutes(routes, services);
    addFundingRoute(routes, services);
    addSubscriptionRoutes(routes, services);
    if (environment === 'sandbox') addSimulationRoutes(routes, services);

    const app = providerApp(serverError);
    app.use(traceResponses);
    app.route('/', routes.app);
    app.notFound((c) => systemError(404, 'No message available', c.req.path).toResponse());
    return {
      app,
      control: createWiseControlRoutes(services),
      rules: webhookRules(services),
      accountOf: (headers) => accountOfHeaders(services, headers)?.id,
      rateLimited: () => rateLimited(30).toResponse(),
      serverError,
    };
  });
  const control = new WiseControl(running.url);
  return { url: running.url, publicKey: await control.publicKey(), control, stop: running.stop };
}
