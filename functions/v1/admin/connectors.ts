// Operations of the admin API: accounts at CRMs, their mappings, runs, and differences.
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
import {
  account,
  accountChange,
  accountInput,
  activityMapping,
  activityMappingInput,
  authorization,
  crmNames,
  stageMapping,
  stageMappingInput,
  webhookSetup,
} from '../../../shared/administration/connectors/schema.ts';
import * as changes from '../../../shared/administration/connectors/writes.ts';
import { crmNamed } from '../../../shared/connectors/registry.ts';
import { ApiError } from '../../../shared/platform/errors.ts';
import { operation } from './operation.ts';

const reads = { method: 'get', scopes: ['read:settings', 'manage:workspace'] } as const;
const writes = { scopes: ['manage:workspace'] } as const;
/** Previews and differences contain data of leads and deals. */
const readsRecords = { method: 'get', scopes: ['manage:workspace'] } as const;

const RIGHTS = 'Also requires `read:leads`, `write:leads`, `read:deals` and `write:deals`.';
const READERS = 'Also requires `read:leads` and `read:deals`.';

/** Throws 404. */
function knownCrm(crm: string): string {
  if (crmNamed(crm)) return crm;
  throw new ApiError(
    'not_found',
    `Unknown CRM. Use ${crmNames.slice(0, -1).join(', ')} or ${crmNames.at(-1)}.`,
  );
}

const accountOperations = {
  listCrmAccounts: operation({
    ...reads,
    path: '/crm-accounts',
    summary: 'List accounts at CRMs',
    form: 'page',
    data: account,
    run: ({ paging }, context) => connectors.listAccounts(context, paging),
  }),
  getCrmAccount: operation({
    ...reads,
    path: '/crm-accounts/:account_id',
    summary: 'Get an account at a CRM',
    data: account,
    versioned: true,
    run: ({ params }, context) => connectors.getAccount(context, params.account_id),
  }),
  connectCrm: operation({
    ...writes,
    method: 'put',
    path: '/crm-accounts/:account_id',
    summary: 'Connect an account at a CRM',
    description: `Send the name of the CRM (${crmNames.join(', ')}) in the path. Replaces the credentials and the settings that you send if the CRM is already connected. ${RIGHTS}`,
    status: 201,
    body: accountInput,
    data: account,
    versioned: true,
    run: ({ params, body: { credentials, settings = {} }, versions }, context) =>
      changes.connectCrm(context, { crm: knownCrm(params.account_id), credentials, settings }, versions),
  }),
  updateCrmAccount: operation({
    ...writes,
    method: 'patch',
    path: '/crm-accounts/:account_id',
    summary: 'Change the settings of a CRM account',
    description: RIGHTS,
    body: accountChange,
    data: account,
    versioned: true,
    run: ({ params, body: { settings = {} }, versions }, context) =>
      changes.changeSettings(context, { id: params.account_id, versions }, settings),
  }),
  forgetCrmAccount: operation({
    ...writes,
    method: 'delete',
    path: '/crm-accounts/:account_id',
    summary: 'Forget a disconnected CRM account',
    description:
      'Deletes its links, events and differences. Leads and deals stay. Disconnect the account first.',
    versioned: true,
    run: ({ params, versions }, context) =>
      changes.setState(context, { id: params.account_id, versions }, 'forgotten'),
  }),
  authorizeCrmAccount: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/authorize',
    summary: 'Create a link to authorize a CRM account',
    description: `Only for RD Station CRM: an admin of the CRM opens the link and agrees. ${RIGHTS}`,
    status: 201,
    data: authorization,
    shownOnce: ['url'],
    run: ({ params, versions }, context) =>
      changes.authorizeCrm(context, { id: params.account_id, versions }),
  }),
  getCrmWebhookSetup: operation({
    ...reads,
    path: '/crm-accounts/:account_id/webhook-setup',
    summary: 'Get the text to set up webhooks in HubSpot',
    description: 'The content of `webhooks-hsmeta.json`. Other CRMs need no setup: 409.',
    data: webhookSetup,
    run: ({ params }, context) => connectors.getWebhookSetup(context, params.account_id),
  }),
  pauseCrmAccount: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/pause',
    summary: 'Pause a CRM account',
    description: 'Nothing is read or written. Webhooks are kept for 30 days.',
    data: account,
    versioned: true,
    run: ({ params, versions }, context) =>
      changes.setState(context, { id: params.account_id, versions }, 'paused'),
  }),
  resumeCrmAccount: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/resume',
    summary: 'Resume a paused CRM account',
    description: RIGHTS,
    data: account,
    versioned: true,
    run: ({ params, versions }, context) =>
      changes.setState(context, { id: params.account_id, versions }, 'resumed'),
  }),
  disconnectCrmAccount: operation({
    ...writes,
    method: 'post',
    path: '/crm-accounts/:account_id/disconnect',
    summary: 'Disconnect a CRM account',
    description:
      'Removes the webhooks and deletes the credentials. Leads, deals and links stay; connect the CRM again to continue.',
    status: 202,
    data: account,
    versioned: true,
    run: ({ params, versions }, context) =>
      changes.setState(context, { id: params.account_id, versions }, 'disconnected'),
  }),
};

const mappingOperations = {
  getCrmStages: operation({
    ...reads,
    path: '/crm-accounts/:account_id/stages',
    summary: 'Get the stages of a CRM',
    description: 'With the stage that a deal gets here.',
    data: stageMapping,
    versioned: true,
    run: ({ params }, context) => connectors.getStages(context, params.account_id),
  }),
  mapCrmStages: operation({
    ...writes,
    method: 'put',
    path: '/crm-accounts/:account_id/stages',
    summary: 'Map the stages of a CRM',
    description: RIGHTS,
    body: stageMappingInput,
    data: stageMapping,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.mapStages(context, { id: params.account_id, versions }, body.stages),
  }),
  getCrmActivityTypes: operation({
    ...reads,
    path: '/crm-accounts/:account_id/activity-types',
    summary: 'Get the types of activities of a CRM',
    data: activityMapping,
    versioned: true,
    run: ({ params }, context) => connectors.getActivityTypes(context, params.account_id),
  }),
  mapCrmActivityTypes: operation({
    ...writes,
    method: 'put',
    path: '/crm-accounts/:account_id/activity-types',
    summary: 'Map the types of activities of a CRM to activity codes',
    description: `Activities that are done count for the mission of the code. ${RIGHTS.replace('Also requires', 'Also requires `manage:gamification`,')}`,
    body: activityMappingInput,
    data: activityMapping,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.mapActivityTypes(context, { id: params.account_id, versions }, body.activity_types),
  }),
};

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

export const connectorOperations = {
  ...accountOperations,
  ...mappingOperations,
  ...runOperations,
  ...differenceOperations,
};
