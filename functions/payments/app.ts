// Payments: invoices, tax documents, payouts and the ledger.

import { setUpProviders } from '../../shared/payments/providers/create-providers.ts';
import { createRenderer } from '../../shared/payments/serialize.ts';
import { createApiKeyGuard } from '../../shared/platform/auth/require-signature.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { type App, addEndpoints, createApp, type Endpoint } from '../../shared/platform/http/app.ts';
import { problemRendering } from '../../shared/platform/http/error-responses.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createCounter } from '../../shared/platform/limits/rate-limits.ts';
import { createLogger } from '../../shared/platform/logging/logger.ts';
import { createFileStore } from '../../shared/platform/storage/file-store.ts';
import { balanceTransactionEndpoints } from './balance-transactions.ts';
import type { Dependencies } from './dependencies.ts';
import { addFiles } from './files.ts';
import { invoiceEndpoints } from './invoices.ts';
import { payoutEndpoints } from './payouts.ts';
import { sandboxEndpoints } from './sandbox.ts';
import { taxDocumentEndpoints } from './tax-documents.ts';

export type PaymentsEnv = Env<'app' | 'database' | 'redis' | 'qstash' | 'storage' | 'sandbox'>;

export function paymentsEndpoints(dependencies: Dependencies): Endpoint[] {
  return [
    ...invoiceEndpoints(dependencies),
    ...taxDocumentEndpoints(dependencies),
    ...payoutEndpoints(dependencies),
    ...balanceTransactionEndpoints(dependencies),
    ...(dependencies.sandbox ? sandboxEndpoints(dependencies) : []),
  ];
}

export function createService(env: PaymentsEnv): App {
  const database = createDatabase(env);
  const queue = createQueue(env);
  const environment = env.APP_ENV;
  const log = createLogger(env.LOG_LEVEL);
  const service = { name: 'payments', rendering: problemRendering, database, queue, environment, log };
  const dependencies: Dependencies = {
    database,
    queue,
    ...setUpProviders(env, { database, queue, log }),
    files: createFileStore(env),
    renderer: createRenderer(env.FUNCTIONS_URL),
  };
  const app = createApp(service);
  const counter = createCounter(env);
  const guard = createApiKeyGuard({ database, counter, environment, allowBearer: false });
  addFiles(app, dependencies);
  addEndpoints(app, service, guard, paymentsEndpoints(dependencies));
  return app;
}
