// A notification that came before its resource was ours is applied once it is.
import { z } from 'zod';
import { defineJob, JobFailure } from '../../platform/jobs/job.ts';
import { applyKeptNotification } from '../notifications/receive.ts';

const MAX_TRIES = 10;
/** Between two tries, times the number of those before. */
const WAIT_SECONDS = 5;

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
