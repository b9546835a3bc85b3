/**
 * Emulates the Asaas API v3, written from its documentation: customers, charges with their artifacts and pages, refunds and
 * chargebacks, transfers with withdrawal validation, Pix keys, NFS-e, webhooks and the statement. Behavior that the
 * documentation leaves open is an account option (`options.ts`). See `control-routes.ts` for the control routes.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { type ProviderOptions, providerApp, startProvider } from '../provider-server.ts';
import { accountOfKey, type Environment, requireAccess } from './access.ts';
import { myAccountRoutes, pixKeyRoutes, statementRoutes } from './account-routes.ts';
import { AsaasControl } from './control.ts';
import { createAsaasControlRoutes } from './control-routes.ts';
import { customerRoutes } from './customers.ts';
import { notFound, rateLimited, serverError } from './errors.ts';
import { fiscalRoutes } from './fiscal.ts';
import { invoiceRoutes } from './invoices.ts';
import { registerJobs } from './jobs.ts';
import { AccountOptions } from './options.ts';
import { addPages } from './pages.ts';
import { paymentRoutes } from './payments.ts';
import { type AsaasEnvironment, readBody } from './requests.ts';
import { sandboxRoutes } from './sandbox.ts';
import { createAsaasServices } from './services.ts';
import type { Account } from './state.ts';
import { internalTransfer, transferRoutes } from './transfers.ts';
import { webhookRoutes, webhookRules } from './webhooks.ts';

export interface AsaasOptions extends ProviderOptions {
  /** The environment whose keys are valid. Default: sandbox. */
  environment?: Environment;
}

export interface Asaas {
  /** Base URL for clients. Ends with `/v3`. */
  url: string;
  control: AsaasControl;
  stop(): Promise<void>;
}

/** Starts the emulator. Create accounts with `control.createAccount`. Throws the listen error if the port is in use. */
export async function startAsaas(options: AsaasOptions = {}): Promise<Asaas> {
  const { environment = 'sandbox', ...provider } = options;
  const running = await startProvider<Account>('asaas', provider, (kit) => {
    // State kept by an older version lacks newer options.
    for (const account of Object.values(kit.state.accounts))
      account.options = AccountOptions.parse(account.options);
    const services = createAsaasServices(kit);
    registerJobs(services);
    const app = providerApp(serverError);
    app.notFound(() => notFound().toResponse());
    addPages(app, services);

    const api = new Hono<AsaasEnvironment>();
    api.use(requireAccess(services, environment));
    api.route('/customers', customerRoutes(services));
    api.route('/payments', paymentRoutes(services));
    api.post('/transfers/', async (c) =>
      internalTransfer(services, c.get('account'), await readBody(c, z.unknown())),
    );
    api.route('/transfers', transferRoutes(services));
    api.route('/invoices', invoiceRoutes(services));
    api.route('/', fiscalRoutes());
    api.route('/webhooks', webhookRoutes(services));
    api.route('/pix/addressKeys', pixKeyRoutes(services));
    api.route('/', statementRoutes(services));
    api.route('/', myAccountRoutes());
    if (environment === 'sandbox') api.route('/sandbox', sandboxRoutes(services));
    app.route('/v3', api);

    return {
      app,
      control: createAsaasControlRoutes(services, environment),
      rules: webhookRules(() => Object.values(kit.state.accounts)),
      accountOf: (headers) => accountOfKey(services, headers.get('access_token') ?? undefined)?.id,
      rateLimited: () => rateLimited(1000, 30).toResponse(),
      serverError,
    };
  });
  return { url: `${running.url}/v3`, control: new AsaasControl(running.url), stop: running.stop };
}
