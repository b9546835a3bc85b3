import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Queue } from '../../shared/platform/jobs/publish.ts';
import type { FileStore } from '../../shared/platform/storage/file-store.ts';
import type { DestinationRules } from '../../shared/webhooks/management/check-url.ts';

/** What every endpoint of payments works with. */
export interface Dependencies {
  database: Database;
  queue: Queue;
  providers: Providers;
  /** Absent in production. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
  /** Where webhooks may lead. */
  destinations: DestinationRules;
  /** Public address below which the payer's files open. */
  functionsUrl: string;
}
