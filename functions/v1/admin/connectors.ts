// Operations of the admin API: accounts at CRMs and their mappings.
import * as connectors from '../../../shared/administration/connectors/reads.ts';
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
import { RIGHTS, reads, writes } from './crm-access.ts';
import { crmRunOperations } from './crm-runs.ts';
import { operation } from './operation.ts';

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

/** All operations below /crm-accounts. */
export const connectorOperations = { ...accountOperations, ...mappingOperations, ...crmRunOperations };
