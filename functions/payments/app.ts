// The payments function: invoices, tax documents, payouts and the ledger.
import { setUpProviders } from '../../shared/payments/provider-registry/set-up-providers.ts';
import { createTokenVerifier } from '../../shared/platform/access/access-tokens.ts';
import { createRateLimitCache } from '../../shared/platform/access/rate-limited-session.ts';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import {
  isPersonsAttempt,
  requirePersonOrSignature,
} from '../../shared/platform/access/require-person-or-signature.ts';
import { identifyKey, requireSignature } from '../../shared/platform/access/require-signature.ts';
import { identifyHolder, requireToken } from '../../shared/platform/access/require-token.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import { type App, appSettings, createApp } from '../../shared/platform/http/app.ts';
import { type Endpoints, mountEndpoints } from '../../shared/platform/http/endpoint.ts';
import { addOpenApiDocument } from '../../shared/platform/http/openapi-document.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { problemErrorFormat } from '../../shared/platform/request/error-formats.ts';
import { createFileStore } from '../../shared/platform/storage/file-store.ts';
import { createDestinationRules } from '../../shared/webhooks/management/destination-rules.ts';
import type { EnvOf } from '../manifest.ts';
import { balanceTransactionEndpoints } from './balance-transactions.ts';
import { capabilityEndpoints } from './capabilities.ts';
import type { Dependencies } from './dependencies.ts';
import { eventEndpoints } from './events.ts';
import { addFiles } from './files.ts';
import { invoiceEndpoints } from './invoices.ts';
import { addPayLinks } from './pay-links.ts';
import { payoutEndpoints } from './payouts.ts';
import { refundEndpoints } from './refunds.ts';
import { sandboxEndpoints } from './sandbox.ts';
import { taxDocumentEndpoints } from './tax-documents.ts';
import { webhookEndpoints } from './webhooks.ts';

export function paymentsEndpoints(dependencies: Dependencies): Endpoints {
  const { sandbox } = dependencies;
  return {
    ...invoiceEndpoints(dependencies),
    ...refundEndpoints(dependencies),
    ...taxDocumentEndpoints(dependencies),
    ...payoutEndpoints(dependencies),
    ...balanceTransactionEndpoints(),
    ...capabilityEndpoints(),
    ...eventEndpoints(dependencies),
    ...webhookEndpoints(dependencies),
    ...(sandbox && sandboxEndpoints({ ...dependencies, sandbox })),
  };
}

export function createService(env: EnvOf<'payments'>): App {
  const log = createLogger(env.LOG_LEVEL);
  const database = createDatabase(env, log);
  const queue = createQueue(env);
  const environment = env.APP_ENV;
  const counter = createCounter(env);
  const tokens = {
    database,
    counter,
    verifier: createTokenVerifier(env, 'v1'),
    rateLimits: createRateLimitCache(),
    holders: 'persons',
    ignoresOrigin: true,
  } as const;
  const service = {
    name: 'payments',
    errorFormat: problemErrorFormat,
    schemes: ['SVC-SIGN-V1'],
    schemesFor: (authorization: string | undefined) =>
      isPersonsAttempt(authorization) ? ['Bearer'] : undefined,
    database,
    queue,
    ...appSettings(env),
    counter,
    identify: (authorization: string) =>
      isPersonsAttempt(authorization)
        ? identifyHolder(tokens.verifier)(authorization)
        : identifyKey(authorization),
    log,
    // Twenty times as many JSON members as a request with the maximum metadata.
    members: { maxMembers: 5000, rejectRepeated: true },
    unknownOutcomeAdvice: 'Send it again with the same Idempotency-Key: the request runs only once.',
  };
  const dependencies: Dependencies = {
    database,
    queue,
    ...setUpProviders(env, { database, queue, log }),
    files: createFileStore(env),
    destinations: createDestinationRules(env),
    functionsUrl: env.FUNCTIONS_URL,
  };
  const app = createApp(service);
  const guard = requirePersonOrSignature(
    requireToken(tokens),
    requireSignature({ database, counter, environment, role: 'payments', allowBearer: false }),
  );
  addFiles(app, dependencies, counter);
  addPayLinks(app, dependencies, counter);
  addOpenApiDocument(app, env, {
    path: '/payments/openapi.json',
    load: () => import('../../docs/openapi/payments.json', { with: { type: 'json' } }),
  });
  mountEndpoints(app, service, guard, paymentsEndpoints(dependencies));
  return app;
}
