// Operations of the admin API: settings, plan, stages, automations, the request log and the audit trail.
import { automations, stages } from '../../../shared/administration/automations/named.ts';
import { listRuns } from '../../../shared/administration/automations/reads.ts';
import {
  adminStage,
  automation,
  automationChange,
  automationRun,
  newAutomation,
  newStage,
  stageChange,
} from '../../../shared/administration/automations/schema.ts';
import {
  getChange,
  getRequests,
  listChanges,
  listRequests,
} from '../../../shared/administration/logs/reads.ts';
import {
  change,
  changeFilters,
  loggedRequest,
  requestFilters,
} from '../../../shared/administration/logs/schema.ts';
import { getPlan, getSettings, listPlans } from '../../../shared/administration/settings/reads.ts';
import {
  plan,
  planLimits,
  settings,
  settingsChange,
} from '../../../shared/administration/settings/schema.ts';
import { updateSettings } from '../../../shared/administration/settings/writes.ts';
import { operation } from './operation.ts';
import { managedResource } from './resource.ts';

const reads = { method: 'get', scopes: ['read:settings'] } as const;
const audit = { method: 'get', scopes: ['read:audit'] } as const;

export const workspaceOperations = {
  getSettings: operation({
    method: 'get',
    scopes: ['read:settings', 'manage:workspace'],
    path: '/settings',
    summary: 'Get the settings of the workspace',
    data: settings,
    versioned: true,
    run: (_, context) => getSettings(context),
  }),
  updateSettings: operation({
    method: 'patch',
    scopes: ['manage:workspace'],
    path: '/settings',
    summary: 'Update the settings of the workspace',
    body: settingsChange,
    data: settings,
    versioned: true,
    run: ({ body, versions }, context) => updateSettings(context, versions, body),
  }),
  getPlan: operation({
    ...reads,
    path: '/plan',
    summary: 'Get the plan of the workspace and its usage',
    data: plan,
    run: (_, context) => getPlan(context),
  }),
  listPlans: operation({
    ...reads,
    path: '/plans',
    summary: 'List all plans with their limits',
    form: 'all',
    data: planLimits,
    run: (_, context) => listPlans(context),
  }),
  ...managedResource({
    resource: stages,
    path: '/stages',
    names: ['Stage', 'Stages'],
    scopes: { read: ['read:settings', 'manage:workspace'], write: ['manage:workspace'] },
    create: newStage,
    change: stageChange,
    data: adminStage,
  }),
  ...managedResource({
    resource: automations,
    path: '/automations',
    names: ['Automation', 'Automations'],
    scopes: { read: ['read:settings', 'manage:automations'], write: ['manage:automations'] },
    create: newAutomation,
    change: automationChange,
    data: automation,
  }),
  listAutomationRuns: operation({
    method: 'get',
    scopes: ['read:settings', 'manage:automations'],
    path: '/automations/:id/runs',
    summary: 'List the runs of an automation',
    form: 'page',
    data: automationRun,
    run: ({ params, paging }, context) => listRuns(context, params.id, paging),
  }),
  listRequests: operation({
    ...audit,
    path: '/requests',
    summary: 'Find requests and why they failed',
    description:
      'The request log of the workspace, newest first, with what to do about each failure. Requests with unknown keys belong to no workspace ' +
      'and are not listed.',
    form: 'log',
    query: requestFilters,
    data: loggedRequest,
    run: ({ query }, context) => listRequests(context, query),
  }),
  getRequest: operation({
    ...audit,
    path: '/requests/:request_id',
    summary: 'Get the requests with an id',
    description: 'A list, because callers can send an id twice.',
    form: 'log',
    data: loggedRequest,
    run: ({ params }, context) => getRequests(context, params.request_id),
  }),
  listChanges: operation({
    ...audit,
    path: '/changes',
    summary: 'Find changes to the setup of the workspace',
    description:
      'The audit trail, newest first: who changed what, regardless of whether the change was made by API or SQL.',
    form: 'log',
    query: changeFilters,
    data: change,
    run: ({ query }, context) => listChanges(context, query),
  }),
  getChange: operation({
    ...audit,
    path: '/changes/:change_id',
    summary: 'Get a change to the setup of the workspace',
    data: change,
    run: ({ params }, context) => getChange(context, params.change_id),
  }),
};
