import type { Env } from '../../platform/env.ts';
import { createProviders, type Providers } from './routing.ts';
import { createSandboxControls, type SandboxControls } from './sandbox/controls.ts';
import { createSandboxOrders, type SandboxDependencies } from './sandbox/orders.ts';
import { createSandboxProvider } from './sandbox/provider.ts';

/** The providers of this environment: the sandbox, outside production. */
export function setUpProviders(
  env: Env<'app' | 'sandbox' | 'qstash'>,
  dependencies: SandboxDependencies,
): { providers: Providers; sandbox: SandboxControls | undefined } {
  if (env.APP_ENV === 'production') return { providers: createProviders([]), sandbox: undefined };
  const orders = createSandboxOrders(dependencies);
  const sandbox = createSandboxProvider(orders, {
    settleSeconds: env.SANDBOX_SETTLE_SECONDS,
    functionsUrl: env.FUNCTIONS_URL,
    notificationToken: env.SANDBOX_NOTIFICATION_TOKEN,
  });
  return { providers: createProviders([sandbox]), sandbox: createSandboxControls(orders) };
}
