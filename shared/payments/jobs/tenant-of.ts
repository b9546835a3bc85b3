import { type ClaimedJob, JobFailure } from '../../platform/jobs/job.ts';

/** Whose job it is. Gives the job up when it is nobody's. */
export function tenantOf({ tenantId }: ClaimedJob): string {
  if (!tenantId) throw new JobFailure('This job needs a tenant.');
  return tenantId;
}
