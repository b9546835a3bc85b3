// Accounts at CRMs.
import type { Json } from '../api/json.ts';
import type { Message } from '../kit/language.ts';
import {
  CRMS_API,
  connectActs,
  connectAgainActs,
  crmForm,
  crmTitle,
  MANAGES,
  reconnectActs,
  settingsAct,
} from './crm-forms.ts';
import { activitiesAct, stagesAct } from './crm-mappings.ts';
import { runPath } from './crm-runs.ts';
import { type Act, below, type Resource } from './resource.ts';

const isUsed = ({ status }: Json): boolean => status !== 'disconnected';
const isActive = ({ status }: Json): boolean => status === 'active';
const isImported = (account: Json): boolean => isActive(account) && account.imported_at !== null;

const run = (kind: string, label: Message, more: Partial<Act> = {}): Act => ({
  name: kind,
  label,
  scope: MANAGES,
  method: 'POST',
  target: below(CRMS_API, '/runs'),
  direct: true,
  body: () => ({ kind }),
  when: isActive,
  done: 'The run has begun.',
  leadsTo: runPath,
  ...more,
});

const post = (name: string, label: Message, done: Message, more: Partial<Act>): Act => ({
  name,
  label,
  scope: MANAGES,
  method: 'POST',
  target: below(CRMS_API, `/${name}`),
  done,
  ...more,
});

export const crmAccounts: Resource = {
  path: '/crm',
  api: CRMS_API,
  scope: MANAGES,
  title: 'CRM',
  lead: 'Leads, deals and activities from your CRM.',
  named: ({ crm }) => crmTitle(crm),
  paging: 'pages',
  columns: [
    { name: 'crm', label: 'CRM', text: ({ crm }) => crmTitle(crm) },
    { name: 'status' },
    { name: 'reason', as: 'english' },
    { name: 'open_differences', label: 'Open differences' },
    { name: 'webhook_state', as: 'name', label: 'Webhook' },
    { name: 'last_event_at' },
    { name: 'last_reconciled_at' },
  ],
  acts: connectActs,
  recordActs: [
    run('preview', 'Preview import'),
    run('import', 'Import', {
      direct: false,
      text: 'Reads all records of the CRM. New leads and deals are created, and those that are here are updated. No webhooks, points, automations or emails are sent for them. Preview it first.',
    }),
    run('reconcile', 'Read changes now', { when: isImported }),
    run('compare', 'Look for deletions', { when: isImported }),
    stagesAct,
    activitiesAct,
    settingsAct,
    ...reconnectActs,
    ...connectAgainActs,
    post('authorize', 'Authorize', 'Created.', {
      text: 'Creates a link that works once within ten minutes. An administrator of the CRM opens it and agrees.',
      when: (record) => crmForm(record.crm)?.callbackText !== undefined && isUsed(record),
      secrets: ['url'],
      opens: 'url',
    }),
    post('pause', 'Pause', 'The account is paused.', {
      direct: true,
      when: (record) => isUsed(record) && record.status !== 'paused',
    }),
    post('resume', 'Resume', 'The account is being checked.', {
      direct: true,
      when: ({ status }) => status === 'paused',
    }),
    post('disconnect', 'Disconnect', 'The account is disconnected.', {
      text: ({ webhook_state: state }) =>
        state === 'by_hand'
          ? 'Nothing more is read or written, and the credentials are deleted. Remove the webhooks from your app yourself. Leads, deals and settings stay. Connecting again continues where it stopped.'
          : 'Nothing more is read or written, the webhooks are removed and the credentials are deleted. Leads, deals and settings stay. Connecting again continues where it stopped.',
      danger: true,
      when: isUsed,
    }),
    {
      name: 'forget',
      label: 'Forget account',
      scope: MANAGES,
      method: 'DELETE',
      target: below(CRMS_API),
      text: 'Deletes the links between records here and in the CRM, and the differences. Leads and deals stay. This cannot be undone.',
      danger: true,
      when: (record) => !isUsed(record),
      done: 'The account was deleted.',
      goTo: 'list',
    },
  ],
  none: 'No CRM is connected',
  hint: 'Connect your CRM. You need credentials of an administrator there.',
};
