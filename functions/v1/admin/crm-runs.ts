// Operations of the admin API: runs of accounts at CRMs, and the differences that they find.
import * as connectors from '../../../shared/administration/connectors/reads.ts';
import {
  difference,
  differenceFilters,
  previewFilters,
  previewRow,
  resolution,
  run,
  runFilters,
  runInput,
} from '../../../shared/administration/connectors/run-schema.ts';
import * as changes from '../../../shared/administration/connectors/writes.ts';
import { RIGHTS, reads, writes } from './crm-access.ts';
import { operation } from './operation.ts';

/** Previews and differences contain data of leads and deals. */
const readsRecords = { method: 'get', scopes: ['manage:workspace'] } as const;
const READERS = 'Also requires `read:leads` and `read:deals`.';

const runOperations = {
  listCrmRuns: operation({
    ...reads,
    path: '/crm-accounts/:account_id/runs',
    summary: 'List the runs of a CRM account',
    form: 'page',
    sorts: ['created_at'],
    searchable: false,
    query: runFilters,
    data: run,
    run: ({ params, query, paging }, context) =>
      connectors.listRuns(context, params.account_id, query, paging),
  }),
  startCrmRun: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/runs',
    summary: 'Start a preview, import, reconciliation or comparison',
    description: `Returns the run of this kind that has not finished, if there is one. ${RIGHTS}`,
    status: 202,
    body: runInput,
    data: run,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.startRun(context, { id: params.account_id, versions }, body.kind),
  }),
  getCrmRun: operation({
    ...reads,
    path: '/crm-accounts/:account_id/runs/:run_id',
    summary: 'Get a run of a CRM account',
    data: run,
    versioned: true,
    run: ({ params }, context) => connectors.getRun(context, params.account_id, params.run_id),
  }),
  cancelCrmRun: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/runs/:run_id/cancel',
    summary: 'Cancel a run of a CRM account',
    description: 'What it has already applied stays.',
    data: run,
    versioned: true,
    run: ({ params, versions }, context) =>
      changes.cancelRun(context, params.account_id, { id: params.run_id, versions }),
  }),
  listCrmPreview: operation({
    ...readsRecords,
    path: '/crm-accounts/:account_id/runs/:run_id/preview',
    summary: 'List what an import would do',
    description: `The rows of a preview run: at most 10,000, kept for 7 days. ${READERS}`,
    form: 'page',
    sorts: ['created_at'],
    query: previewFilters,
    data: previewRow,
    run: ({ params, query, paging }, context) =>
      connectors.listPreview(context, { id: params.account_id, runId: params.run_id }, query, paging),
  }),
};

const differenceOperations = {
  listCrmDifferences: operation({
    ...readsRecords,
    path: '/crm-accounts/:account_id/differences',
    summary: 'List differences between Placar and a CRM',
    description: READERS,
    form: 'page',
    sorts: ['created_at'],
    searchable: false,
    query: differenceFilters,
    data: difference,
    run: ({ params, query, paging }, context) =>
      connectors.listDifferences(context, params.account_id, query, paging),
  }),
  getCrmDifference: operation({
    ...readsRecords,
    path: '/crm-accounts/:account_id/differences/:difference_id',
    summary: 'Get a difference between Placar and a CRM',
    description: READERS,
    data: difference,
    versioned: true,
    run: ({ params }, context) => connectors.getDifference(context, params.account_id, params.difference_id),
  }),
  resolveCrmDifference: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/differences/:difference_id/resolve',
    summary: 'Resolve a difference between Placar and a CRM',
    description: RIGHTS,
    body: resolution,
    data: difference,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.resolveDifference(
        context,
        params.account_id,
        { id: params.difference_id, versions },
        body.take,
      ),
  }),
};

export const crmRunOperations = { ...runOperations, ...differenceOperations };
