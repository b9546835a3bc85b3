// Sets up the sandbox and the provider adapters. Each adapter is loaded when an account first needs it, and its operations have spans.
import type { Env } from '../../platform/env.ts';
import { ApiError } from '../../platform/errors.ts';
import { inSpan, isRecording } from '../../platform/tracing/scope.ts';
import type { ProviderAccount } from '../providers/accounts.ts';
import type { ConnectionOptions } from '../providers/definition.ts';
import type { ConnectedProvider, PaymentProvider, Providers } from '../providers/provider.ts';
import { createSandboxControls, type SandboxControls } from '../providers/sandbox/controls.ts';
import { createSandboxOrders, type SandboxDependencies } from '../providers/sandbox/orders.ts';
import { createSandboxProvider, type SandboxSettings } from '../providers/sandbox/provider.ts';
import { createSandboxRefunds } from '../providers/sandbox/refunds.ts';
import { addressesOf, providerNamed } from './registry.ts';

/** `sandbox` is absent in production. */
export function createProviders(sandbox: PaymentProvider | undefined, options: ConnectionOptions): Providers {
  const connect = async (account: ProviderAccount) => {
    const create = await providerNamed(account.provider)?.load();
    if (!create) throw unavailable(account.provider);
    return traceOperations(create(account, options));
  };
  return {
    connect,
    async of({ provider: name }, account) {
      if (account) return await connect(account);
      if (name === 'sandbox' && sandbox) return traceOperations(sandbox);
      throw unavailable(name);
    },
  };
}

const unavailable = (name: string) =>
  new ApiError(
    'provider_not_configured',
    `The ${name} account was disconnected, or ${name} is not available in this environment.`,
  );

/** The sandbox's hosted payment page. */
const CHECKOUT_PATH = '/payments/sandbox/checkout';
/** The sandbox's page on which the payer of a boleto completes a refund. */
const REFUND_PATH = '/payments/sandbox/refund-page';

/** The providers of this environment and the sandbox controls, which are undefined in production. */
export function setUpProviders(
  env: Env<'app' | 'sandbox' | 'qstash' | 'providers'>,
  dependencies: SandboxDependencies,
): { providers: Providers; sandbox: SandboxControls | undefined } {
  const connection = { addresses: addressesOf(env), log: dependencies.log };
  if (env.APP_ENV === 'production')
    return { providers: createProviders(undefined, connection), sandbox: undefined };
  const orders = createSandboxOrders(dependencies);
  const settings: SandboxSettings = {
    settleSeconds: env.SANDBOX_SETTLE_SECONDS,
    checkoutUrl: env.SANDBOX_CHECKOUT_URL ?? `${env.FUNCTIONS_URL}${CHECKOUT_PATH}`,
    refundUrl: `${env.FUNCTIONS_URL}${REFUND_PATH}`,
  };
  const refunds = createSandboxRefunds(dependencies, settings);
  const sandbox = createSandboxProvider(orders, refunds, settings);
  return {
    providers: createProviders(sandbox, connection),
    sandbox: createSandboxControls(orders, refunds, env.SANDBOX_NOTIFICATION_TOKEN),
  };
}

/** Methods of a provider that do not call it. */
const LOCAL = new Set<string | symbol>([
  'verifyDelivery',
  'mayBeFromProvider',
  'readEvents',
] satisfies (keyof ConnectedProvider)[]);

/** Returns a provider whose operations have spans such as `sandbox charges.create`. Unchanged if no spans are recorded. */
export function traceOperations<P extends PaymentProvider>(provider: P): P {
  if (!isRecording()) return provider;
  return traceMethods(provider, `${provider.name} `);
}

/** The methods of the provider and of its ports. */
function traceMethods<T extends object>(target: T, prefix: string): T {
  return new Proxy(target, {
    get(_, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value === 'function' && !LOCAL.has(member)) {
        return (...values: unknown[]) =>
          inSpan('client', `${prefix}${String(member)}`, () => Reflect.apply(value, target, values));
      }
      const isPort = typeof value === 'object' && value !== null;
      return isPort ? traceMethods(value, `${prefix}${String(member)}.`) : value;
    },
  });
}
