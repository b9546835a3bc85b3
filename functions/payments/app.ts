// Payments: invoices, tax documents, payouts and the ledger.
import { createApiKeyGuard } from '../../shared/auth/api-keys.ts';
import { createDatabase } from '../../shared/db/database.ts';
import type { Env } from '../../shared/env.ts';
import { type App, addEndpoints, createApp, type Endpoint } from '../../shared/http/app.ts';
import { problemRendering } from '../../shared/http/renderings.ts';
import { createQueue } from '../../shared/jobs/queue.ts';
import { createCounter } from '../../shared/limits/limits.ts';
import { createLogger } from '../../shared/log.ts';
import { createFileStore } from '../../shared/payments/files.ts';
import { setUpProviders } from '../../shared/payments/providers/set-up.ts';
import { createRenderer } from '../../shared/payments/render.ts';
import { balanceTransactionEndpoints } from './balance-transactions.ts';
import { addFiles } from './files.ts';
import { invoiceEndpoints } from './invoices.ts';
import { payoutEndpoints } from './payouts.ts';
import { sandboxEndpoints } from './sandbox.ts';
import { taxDocumentEndpoints } from './tax-documents.ts';
import type { Tools } from './tools.ts';

export type PaymentsEnv = Env<'app' | 'database' | 'redis' | 'qstash' | 'storage' | 'sandbox'>;

export function paymentsEndpoints(tools: Tools): Endpoint[] {
  return [
    ...invoiceEndpoints(tools),
    ...taxDocumentEndpoints(tools),
    ...payoutEndpoints(tools),
    ...balanceTransactionEndpoints(tools),
    ...(tools.sandbox ? sandboxEndpoints(tools) : []),
  ];
}

export function createService(env: PaymentsEnv): App {
  const database = createDatabase(env);
  const queue = createQueue(env);
  const environment = env.APP_ENV;
  const log = createLogger(env.LOG_LEVEL);
  const service = { name: 'payments', rendering: problemRendering, database, queue, environment, log };
  const tools: Tools = {
    database,
    queue,
    ...setUpProviders(env, { database, queue, log }),
    files: createFileStore(env),
    renderer: createRenderer(env.FUNCTIONS_URL),
  };
  const app = createApp(service);
  const counter = createCounter(env);
  const guard = createApiKeyGuard({ database, counter, environment, allowBearer: false });
  addFiles(app, tools);
  addEndpoints(app, service, guard, paymentsEndpoints(tools));
  return app;
}
