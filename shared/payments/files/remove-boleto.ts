// The job that removes the stored PDF of a boleto after its payer was erased.
import { z } from 'zod';
import { defineJob, type JobHandler, tenantOf } from '../../platform/jobs/job.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { boletoPath } from '../artifacts/file-paths.ts';

export const createRemoveBoletoJob = (files: FileStore): JobHandler =>
  defineJob({
    name: 'remove-boleto',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job) {
      await files.remove(boletoPath(tenantOf(job), id));
      return 'done';
    },
  });
