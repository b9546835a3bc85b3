import type { Database } from '../../platform/db/database.ts';
import type { Env } from '../../platform/env.ts';
import type { Queue } from '../../platform/jobs/publish.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { createProviders, type Providers } from './routing.ts';
import { createSandbox, type SandboxControls } from './sandbox.ts';

/** The providers of this environment: the sandbox, outside production. */
export function setUpProviders(
  env: Env<'app' | 'sandbox' | 'qstash'>,
  dependencies: { database: Database; queue: Queue; log: Logger },
): { providers: Providers; sandbox: SandboxControls | undefined } {
  if (env.APP_ENV === 'production') return { providers: createProviders([]), sandbox: undefined };
  const sandbox = createSandbox({
    ...dependencies,
    settleSeconds: env.SANDBOX_SETTLE_SECONDS,
    functionsUrl: env.FUNCTIONS_URL,
    notificationToken: env.SANDBOX_NOTIFICATION_TOKEN,
  });
  return { providers: createProviders([sandbox]), sandbox };
}
