// Where webhooks of this deployment may lead, as requests that save an address ask.
import type { Env } from '../../platform/env.ts';
import { createDenoNetwork } from '../delivery/network.ts';
import type { DestinationRules } from './check-url.ts';

const RESOLVE_TIMEOUT_MS = 2000;

/** The rules under the edge runtime, which resolves names. */
export function createDestinationRules(env: Env<'destinations'>): DestinationRules {
  const network = createDenoNetwork();
  return {
    allowInsecure: env.ALLOW_INSECURE_WEBHOOKS,
    resolve: (host) => network.resolve(host, AbortSignal.timeout(RESOLVE_TIMEOUT_MS)),
  };
}
