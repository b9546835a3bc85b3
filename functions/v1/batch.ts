// Endpoints of POST .../batch: several operations on one kind of record in one request.

import type { EndpointResponse } from '../../shared/platform/access/context.ts';
import type { Scope } from '../../shared/platform/access/scopes.ts';
import type { BatchKind } from '../../shared/records/batch/batch.ts';
import type { BatchResource } from './batch-run.ts';
import { recordsEndpoint } from './records-endpoint.ts';

interface BatchEndpoint<P extends string> {
  resource: BatchResource;
  base: P;
  scopes: readonly Scope[];
  kind(): Promise<BatchKind>;
}

export const batchEndpoint = <const P extends string>({ resource, base, scopes, kind }: BatchEndpoint<P>) =>
  recordsEndpoint({
    method: 'post',
    path: `${base}/batch`,
    scopes,
    body: 'required',
    resource,
    async handle(request): Promise<EndpointResponse> {
      const { runBatch } = await import('./batch-run.ts');
      return await runBatch(request, resource, await kind());
    },
  });
