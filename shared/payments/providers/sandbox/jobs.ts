// The job of the sandbox.
import { z } from 'zod';
import { defineJob, JobFailure, type JobHandler } from '../../../platform/jobs/job.ts';
import type { Providers } from '../../providers/provider.ts';
import type { SandboxControls } from './controls.ts';
import { notifyOf } from './notify.ts';

/** How often an order is looked at that is not ours yet, with increasing delays. */
const MAX_EARLY = 5;

/** Moves an order of the sandbox on, and looks at it. `sandbox` is absent in production. */
export const createSettleInSandbox = (
  sandbox: SandboxControls | undefined,
  providers: Providers,
): JobHandler =>
  defineJob({
    name: 'settle-in-sandbox',
    payload: z.object({
      kind: z.enum(['charge', 'payout']),
      reference: z.string(),
      to: z.string().optional(),
    }),
    leaseSeconds: 30,
    async run({ kind, reference, to }, { attempts }, dependencies) {
      if (!sandbox) throw new JobFailure('There is no sandbox here.');
      const told = await sandbox.settle(kind, reference, to);
      if (!told) return 'done';
      const outcome = await notifyOf(told, providers, dependencies);
      return outcome === 'too_early' && attempts <= MAX_EARLY ? { againInSeconds: attempts ** 2 } : 'done';
    },
  });
