// What each document is made of.

import type { z } from 'zod';
import { fails as syncFails, syncOperations } from '../../functions/default-integration/sync.openapi.ts';
import { syncEndpoints } from '../../functions/default-integration/sync.ts';
import { oauthRoutes } from '../../functions/oauth/metadata.ts';
import { fails as oauthFails, oauthOperations } from '../../functions/oauth/oauth.openapi.ts';
import { paymentsEndpoints } from '../../functions/payments/app.ts';
import type { Dependencies as PaymentsDependencies } from '../../functions/payments/dependencies.ts';
import { paymentsEvents } from '../../functions/payments/events.openapi.ts';
import { fails as paymentsFails } from '../../functions/payments/openapi.ts';
import { paymentsOperations } from '../../functions/payments/operations.ts';
import { recordsEndpoints } from '../../functions/v1/app.ts';
import { recordsEventsIn } from '../../functions/v1/events.openapi.ts';
import { failsEarly as recordsFails } from '../../functions/v1/openapi.ts';
import { recordsOperations } from '../../functions/v1/operations.ts';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { Scope } from '../../shared/platform/access/scopes.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import {
  ifKnown,
  type Operation,
  type ResponseHeaders,
  rateLimitHeaders,
} from '../../shared/platform/http/openapi.ts';
import type { SchemeName } from './security.ts';

export interface Source {
  /** Name of the function, the first segment of its paths. */
  service: string;
  title: string;
  description: string;
  endpoints: Readonly<
    Record<string, Pick<Endpoint, 'method' | 'path' | 'keysOf'> & { scopes?: readonly Scope[] }>
  >;
  /** What is said of each endpoint, by the same names, which become `operationId`. */
  operations: Readonly<Record<string, Operation>>;
  schemes: readonly SchemeName[];
  tags: Readonly<Record<string, string>>;
  /** What answers of the function itself carry too. */
  headers?: ResponseHeaders;
  /** How the interface answers what fails. */
  fails(description: string, headers?: ResponseHeaders): Operation['responses'][string];
  /** What webhooks are sent, by type. */
  events?: Readonly<Record<string, { summary: string; headers: z.ZodObject; body: z.ZodObject }>>;
}

/** For endpoints that are described and never called. */
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
  // Whatever it is, nobody looks into it.
  return {} as T;
}

const variantWords: Record<NamingVariant, string> = {
  a: 'In the names of variant A; at /opportunities and /pipeline in those of variant B.',
  b: 'In the names of variant B, where deals are opportunities and an owner is whom a record is assigned to.',
  c: 'In the names of variant C, where deals are opportunities with currency and products, and leads have a stage and a score.',
};

const records = (variant: NamingVariant): Source => ({
  service: 'v1',
  title: variant === 'a' ? 'Placar: records' : `Placar: records, variant ${variant.toUpperCase()}`,
  description:
    `Leads, deals, users, teams and webhooks. ${variantWords[variant]} Other variants have documents of their own. ` +
    "A tenant's plan limits its requests a minute: the headers X-RateLimit-* tell what is left, 429 and Retry-After when it is used up. " +
    'A body has at most 6 MiB; pages at most 100 records.',
  endpoints: recordsEndpoints({ allowInsecure: false, resolve: async () => [] }),
  operations: recordsOperations(variant),
  fails: recordsFails,
  headers: ifKnown(rateLimitHeaders),
  schemes: ['oauth2'],
  tags: {
    Leads: 'People who may buy, their history, and making deals of them.',
    Deals: 'What may be sold, and the stages that it passes.',
    Opportunities: 'The same deals at the addresses of variants B and C.',
    Activities: 'Calls, meetings, notes and the like, of deals or of none.',
    Users: 'Who works in the workspace, and what they did.',
    Gamification: 'Who has how many points, and for what: missions, standings, seasons, badges, challenges.',
    Invitations: 'Invitations that users have not accepted yet.',
    Teams: 'Teams and their members.',
    Webhooks: 'Addresses that are told of events, and what was delivered to them.',
  },
  events: recordsEventsIn(variant),
});

export const sources: Record<string, Source> = {
  'default-integration': {
    service: 'default-integration',
    title: 'Placar: activity sync',
    description:
      'An external CRM sends collaborators and the numbered activities that they did. A key has a limit of requests in a clock hour, ' +
      '1000 unless an admin says otherwise; 429 and Retry-After when it is used up.',
    endpoints: syncEndpoints,
    operations: syncOperations,
    fails: syncFails,
    schemes: ['signature', 'apiKey'],
    tags: { 'Activity sync': 'Collaborators and activities, in batches.' },
  },
  payments: {
    service: 'payments',
    title: 'Placar: payments',
    description:
      'Invoices, Brazilian tax documents, payouts and a ledger, whichever provider is behind them. Amounts are in minor units. A key has ' +
      'a limit of requests in a clock hour, 1000 unless an admin says otherwise; 429 and Retry-After when it is used up.',
    endpoints: paymentsEndpoints(unused),
    operations: paymentsOperations,
    fails: paymentsFails,
    schemes: ['signature'],
    tags: {
      Invoices: 'What payers pay, by Pix, boleto, card or bank.',
      'Tax documents': 'NFS-e of invoices.',
      Payouts: 'Money that goes out.',
      Ledger: 'What came in and went out, and the balance that it adds up to.',
      Sandbox: 'Playing the payer, in staging alone.',
      Webhooks: 'Where events are sent, and what became of each delivery.',
    },
    events: paymentsEvents,
  },
  v1: records('a'),
  'v1-b': records('b'),
  'v1-c': records('c'),
  oauth: {
    service: 'oauth',
    title: 'Placar: access tokens',
    description: 'Access tokens of the records interface, their end, and the public keys that check them.',
    endpoints: oauthRoutes,
    operations: oauthOperations,
    fails: oauthFails,
    schemes: ['client'],
    tags: { Tokens: 'Getting and ending access tokens.', Metadata: 'What programs find by themselves.' },
  },
};
