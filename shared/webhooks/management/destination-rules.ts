// The destination rules of this deployment, for requests that save a webhook URL.
import type { Env } from '../../platform/env.ts';
import { createDenoNetwork } from '../delivery/network.ts';
import type { DestinationRules } from './check-url.ts';

const RESOLVE_TIMEOUT_MS = 2000;

/** Rules that resolve names with the edge runtime. */
export function createDestinationRules(env: Env<'destinations'>): DestinationRules {
  const network = createDenoNetwork();
  return {
    allowInsecure: env.ALLOW_INSECURE_WEBHOOKS,
    resolve: (host) => network.resolve(host, AbortSignal.timeout(RESOLVE_TIMEOUT_MS)),
  };
}
