import type { Env } from '../../platform/env.ts';
import { addressesOf } from '../providers/addresses.ts';
import { createSandboxControls, type SandboxControls } from '../providers/sandbox/controls.ts';
import { createSandboxOrders, type SandboxDependencies } from '../providers/sandbox/orders.ts';
import { createSandboxProvider } from '../providers/sandbox/provider.ts';
import { createProviders, type Providers } from './providers.ts';

/** The functions' own page of a card's payer. */
const CHECKOUT_PATH = '/payments/sandbox/checkout';

/** The providers of this environment, and what plays the payer of the sandbox, which is not in production. */
export function setUpProviders(
  env: Env<'app' | 'sandbox' | 'qstash' | 'providers'>,
  dependencies: SandboxDependencies,
): { providers: Providers; sandbox: SandboxControls | undefined } {
  const connection = { addresses: addressesOf(env), log: dependencies.log };
  if (env.APP_ENV === 'production')
    return { providers: createProviders(undefined, connection), sandbox: undefined };
  const orders = createSandboxOrders(dependencies);
  const sandbox = createSandboxProvider(orders, {
    settleSeconds: env.SANDBOX_SETTLE_SECONDS,
    checkoutUrl: env.SANDBOX_CHECKOUT_URL ?? `${env.FUNCTIONS_URL}${CHECKOUT_PATH}`,
  });
  return {
    providers: createProviders(sandbox, connection),
    sandbox: createSandboxControls(orders, env.SANDBOX_NOTIFICATION_TOKEN),
  };
}
