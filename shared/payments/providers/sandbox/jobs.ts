// Jobs of the sandbox.
import { z } from 'zod';
import { defineJob, JobFailure, type JobHandler } from '../../../platform/jobs/job.ts';
import { applyKeptNotification, receiveNotification } from '../../notifications/receive.ts';
import type { SandboxControls } from './controls.ts';
import { SANDBOX } from './rules.ts';

/** Moves an order of the sandbox on, and receives what it reports. `sandbox` is absent in production. */
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

const MAX_TRIES = 10;
/** Between two tries, times the number of those before. */
const WAIT_SECONDS = 5;

/** Applies a notification that arrived before its resource was stored. */
export const applyNotification = defineJob({
  name: 'apply-notification',
  payload: z.object({ provider: z.string(), event_id: z.string() }),
  leaseSeconds: 30,
  async run({ provider, event_id: eventId }, { attempts }, dependencies) {
    const outcome = await applyKeptNotification(provider, eventId, dependencies);
    if (outcome !== 'too_early') return 'done';
    if (attempts >= MAX_TRIES) throw new JobFailure('The resource of this notification never came to be.');
    return { againInSeconds: WAIT_SECONDS * attempts };
  },
});
