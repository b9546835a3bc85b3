// The parts of each OpenAPI document: endpoints, descriptions, tags, events.
import type { z } from 'zod';
import {
  errorResponse as syncErrorResponse,
  syncOperations,
} from '../../functions/default-integration/sync.openapi.ts';
import { syncEndpoints } from '../../functions/default-integration/sync.ts';
import { oauthRoutes } from '../../functions/oauth/metadata.ts';
import { errorResponse as oauthErrorResponse, oauthOperations } from '../../functions/oauth/oauth.openapi.ts';
import { paymentsOperations } from '../../functions/payments/all.openapi.ts';
import { paymentsEndpoints } from '../../functions/payments/app.ts';
import type { Dependencies as PaymentsDependencies } from '../../functions/payments/dependencies.ts';
import { paymentsEvents } from '../../functions/payments/events.openapi.ts';
import { errorResponse as paymentsErrorResponse } from '../../functions/payments/openapi.ts';
import { allEndpoints } from '../../functions/v1/admin/all.ts';
import { adminDescriptions, UNUSED } from '../../functions/v1/admin.openapi.ts';
import { recordsOperations } from '../../functions/v1/all.openapi.ts';
import { recordsEndpoints } from '../../functions/v1/app.ts';
import { boardOperations, boardRoutes } from '../../functions/v1/board.openapi.ts';
import { recordsEventsIn } from '../../functions/v1/events.openapi.ts';
import { earlyErrorResponse as recordsErrorResponse } from '../../functions/v1/responses.openapi.ts';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { Scope } from '../../shared/platform/access/scopes.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import {
  type Operation,
  optionalHeaders,
  type ResponseHeaders,
  rateLimitHeaders,
} from '../../shared/platform/http/openapi.ts';
import type { SchemeName } from './security.ts';

export interface Source {
  /** For variants B and C of records. */
  variant?: NamingVariant;
  /** Name of the function, the first segment of its paths. */
  service: string;
  title: string;
  description: string;
  endpoints: Readonly<
    Record<
      string,
      Pick<Endpoint, 'method' | 'path' | 'idempotencyKeyOwner' | 'everyPerson'> & {
        scopes?: readonly Scope[];
      }
    >
  >;
  /** By the names of the endpoints, which become `operationId`. */
  operations: Readonly<Record<string, Operation>>;
  schemes: readonly SchemeName[];
  /** Schemes of operations that name their own. */
  otherSchemes?: readonly SchemeName[];
  tags: Readonly<Record<string, string>>;
  /** Additional headers of responses that the function sends without an endpoint. */
  headers?: ResponseHeaders;
  /** An error response in the format of the API. */
  errorResponse(description: string, headers?: ResponseHeaders): Operation['responses'][string];
  /** Webhook events, by type. */
  events?: Readonly<Record<string, { summary: string; headers: z.ZodObject; body: z.ZodObject }>>;
}

/** Placeholders: the endpoints are described but never called. */
const unused: PaymentsDependencies = {
  database: notCalled(),
  queue: notCalled(),
  providers: notCalled(),
  sandbox: notCalled(),
  files: notCalled(),
  destinations: notCalled(),
  functionsUrl: '',
};

function notCalled<T extends object>(): T {
  return {} as T;
}

const variantWords: Record<NamingVariant, string> = {
  a: 'Uses the names of variant A, and those of variant B at /opportunities and /pipeline.',
  b: 'Uses the names of variant B: deals are opportunities, and `assigned_to` is the owner.',
  c: 'Uses the names of variant C: deals are opportunities with currency and products, and leads have a stage and a score.',
};

/** Operations of administration have their own names, because some do the same as those of records. */
const named = <T>(operations: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, it]) => [
      `admin${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      it,
    ]),
  );

const records = (variant: NamingVariant): Source => ({
  ...(variant !== 'a' && { variant }),
  service: 'v1',
  title: variant === 'a' ? 'Placar: records' : `Placar: records, variant ${variant.toUpperCase()}`,
  description:
    `Leads, deals, users, teams and webhooks. ${variantWords[variant]} The other variants have their own documents. ` +
    "The tenant's plan limits the requests per minute: the X-RateLimit-* headers show what is left. " +
    'Above the limit, the response is 429 with Retry-After. A body may have up to 6 MiB, a page up to 100 records.',
  endpoints: {
    ...recordsEndpoints({ allowInsecure: false, resolve: async () => [] }),
    ...named(allEndpoints(UNUSED)),
    ...boardRoutes,
  },
  operations: { ...recordsOperations(variant), ...named(adminDescriptions(variant)), ...boardOperations },
  errorResponse: recordsErrorResponse,
  headers: optionalHeaders(rateLimitHeaders),
  schemes: ['oauth2', 'person'],
  otherSchemes: ['board'],
  tags: {
    Leads: 'Potential customers, their history, and converting them to deals.',
    Deals: 'Sales opportunities and the stages of the pipeline.',
    Opportunities: 'The same deals at the paths of variants B and C.',
    Activities: 'Calls, meetings, notes and similar activities, with or without a deal.',
    Oneself: 'What persons read and change of themselves after signing in.',
    Users: 'Users of the workspace and their statistics.',
    Gamification: 'Points, missions, standings, seasons, badges and challenges.',
    Invitations: 'Invitations of users to the workspace.',
    Teams: 'Teams and their members.',
    Webhooks: 'Webhook endpoints and their deliveries, and the event feed.',
    Administration: 'Gamification, automations, settings, access, payments and logs of the workspace.',
    'CRM accounts': 'Connected CRMs: settings, stages, activities, imports and differences.',
  },
  events: recordsEventsIn(variant),
});

export const sources: Record<string, Source> = {
  'default-integration': {
    service: 'default-integration',
    title: 'Placar: activity sync',
    description:
      'An external CRM sends collaborators and their activities, identified by activity codes. An API key has a limit of requests ' +
      'per clock hour, 1000 unless an admin changes it. Above the limit, the response is 429 with Retry-After.',
    endpoints: syncEndpoints,
    operations: syncOperations,
    errorResponse: syncErrorResponse,
    schemes: ['signature', 'apiKey'],
    tags: { 'Activity sync': 'Batches of collaborators and activities.' },
  },
  payments: {
    service: 'payments',
    title: 'Placar: payments',
    description:
      'Invoices, Brazilian tax documents, payouts and a ledger, independent of the payment provider. Amounts are in minor units. ' +
      'An API key has a limit of requests per clock hour, 1000 unless an admin changes it. ' +
      'Above the limit, the response is 429 with Retry-After.',
    endpoints: paymentsEndpoints(unused),
    operations: paymentsOperations,
    errorResponse: paymentsErrorResponse,
    schemes: ['signature', 'person'],
    tags: {
      Invoices: 'Invoices, paid by Pix, boleto, card or bank.',
      Refunds: 'Refunds of paid invoices.',
      'Tax documents': 'NFS-e for invoices.',
      Payouts: 'Outgoing payments.',
      Ledger: 'Ledger entries of incoming and outgoing money, and the balance.',
      Capabilities: 'What the tenant can charge, pay out and issue.',
      Sandbox: 'Simulates payers and banks, only in staging.',
      Webhooks: 'Webhook endpoints and their deliveries.',
    },
    events: paymentsEvents,
  },
  v1: records('a'),
  'v1-b': records('b'),
  'v1-c': records('c'),
  oauth: {
    service: 'oauth',
    title: 'Placar: access tokens',
    description:
      'Access tokens for the records interface, their revocation, and the public keys for verifying them.',
    endpoints: oauthRoutes,
    operations: oauthOperations,
    errorResponse: oauthErrorResponse,
    schemes: ['client'],
    tags: { Tokens: 'Issuing and revoking access tokens.', Metadata: 'Metadata for automatic discovery.' },
  },
};
