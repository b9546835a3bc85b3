// OpenAPI description of /capabilities.
import { capabilitiesResponse } from '../../shared/payments/capabilities/schema.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import type { capabilityEndpoints } from './capabilities.ts';
import { get, tagged } from './openapi.ts';

export const capabilityOperations: OperationsOf<ReturnType<typeof capabilityEndpoints>> = tagged(
  'Capabilities',
  { getCapabilities: get('List what can be charged, paid out and issued', capabilitiesResponse, {}) },
);
