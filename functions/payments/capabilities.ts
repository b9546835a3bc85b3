// Endpoint of /capabilities.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { read } from './idempotent-endpoint.ts';

export function capabilityEndpoints() {
  return {
    getCapabilities: endpoint({
      ...read,
      path: '/capabilities',
      async handle({ context }) {
        const { getCapabilities } = await import('../../shared/payments/capabilities/reads.ts');
        return { status: 200, body: await getCapabilities(context(200)) };
      },
    }),
  } satisfies Endpoints;
}
