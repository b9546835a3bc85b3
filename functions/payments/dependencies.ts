import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Queue } from '../../shared/platform/jobs/publish.ts';
import type { FileStore } from '../../shared/platform/storage/file-store.ts';
import type { DestinationRules } from '../../shared/webhooks/management/check-url.ts';

/** Dependencies of the payments endpoints. */
export interface Dependencies {
  database: Database;
  queue: Queue;
  providers: Providers;
  /** Absent in production. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
  /** Allowed webhook destinations. */
  destinations: DestinationRules;
  /** Public base URL of the payer's files. */
  functionsUrl: string;
}
