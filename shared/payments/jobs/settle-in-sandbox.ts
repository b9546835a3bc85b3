// The sandbox moves an order on, and what it reports is received as from any provider.
import { z } from 'zod';
import { defineJob, JobFailure, type JobHandler } from '../../platform/jobs/job.ts';
import { receiveNotification } from '../notifications/receive.ts';
import type { SandboxControls } from '../providers/sandbox/controls.ts';
import { SANDBOX } from '../providers/sandbox/rules.ts';

/** `sandbox` is absent where there is none. */
export const createSettleInSandbox = (sandbox: SandboxControls | undefined): JobHandler =>
  defineJob({
    name: 'settle-in-sandbox',
    payload: z.object({ kind: z.enum(['charge', 'payout']), reference: z.string(), to: z.string() }),
    leaseSeconds: 30,
    async run({ kind, reference, to }, _job, dependencies) {
      if (!sandbox) throw new JobFailure('There is no sandbox here.');
      for (const notification of await sandbox.settle(kind, reference, to)) {
        await receiveNotification(SANDBOX, notification, dependencies);
      }
      return 'done';
    },
  });
