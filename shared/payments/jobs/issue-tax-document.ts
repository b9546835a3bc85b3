// A pending tax document is issued, and followed until the city has decided on it.
import { z } from 'zod';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { onceProviderIsBack } from '../look-up.ts';
import type { Providers } from '../providers/providers.ts';
import { issueTaxDocument } from '../tax-documents/issue.ts';
import { tenantOf } from './tenant-of.ts';

export const createIssueTaxDocument = (providers: Providers, files: FileStore): JobHandler =>
  defineJob({
    name: 'issue-tax-document',
    payload: z.object({ tax_document_id: z.string() }),
    leaseSeconds: 60,
    run: ({ tax_document_id: id }, job, dependencies) =>
      issueTaxDocument({ tenantId: tenantOf(job), id }, dependencies, providers, files).catch((error) =>
        onceProviderIsBack(error, job, dependencies.log),
      ),
  });
