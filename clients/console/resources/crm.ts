// Accounts at CRMs, their runs, what a preview lists, and differences.
import { asText, type Json } from '../api/json.ts';
import { memberName } from '../kit/changes.tsx';
import { type Message, tName } from '../kit/language.ts';
import {
  activitiesAct,
  CRMS_API,
  connectActs,
  crmTitle,
  MANAGES,
  reconnectActs,
  settingsAct,
  stagesAct,
} from './crm-forms.ts';
import { type Act, below, type Resource } from './resource.ts';

const isUsed = ({ status }: Json): boolean => status !== 'disconnected';
const isActive = ({ status }: Json): boolean => status === 'active';

const runPath = ({ account_id: account, id, kind }: Json): string =>
  `/crm/${encodeURIComponent(asText(account))}/runs/${encodeURIComponent(asText(id))}${kind === 'preview' ? '/preview' : ''}`;

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
    run('reconcile', 'Read changes now'),
    run('compare', 'Look for deletions'),
    stagesAct,
    activitiesAct,
    settingsAct,
    ...reconnectActs,
    post('authorize', 'Authorize', 'Created.', {
      text: 'Creates a link that works once within ten minutes. An administrator of the CRM opens it and agrees.',
      when: (record) => record.crm === 'rd_station' && isUsed(record),
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
      text: 'Nothing more is read or written, the webhooks are removed and the credentials are deleted. Leads and deals stay. Connecting the CRM again continues where it stopped.',
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
  hint: 'Connect Pipedrive, HubSpot or RD Station CRM. You need credentials of an administrator there.',
};

const isOpen = ({ status }: Json): boolean => ['queued', 'running', 'waiting'].includes(asText(status));

export const crmRuns: Resource = {
  path: '/crm/:account/runs',
  api: `${CRMS_API}/:account/runs`,
  scope: MANAGES,
  title: 'Runs',
  lead: 'Previews, imports and comparisons.',
  named: ({ kind }) => tName(asText(kind)),
  paging: 'pages',
  live: true,
  columns: [
    { name: 'kind', as: 'name', label: 'Kind', href: runPath },
    { name: 'status' },
    { name: 'read', label: 'Records read' },
    { name: 'created', as: 'number', label: 'New' },
    { name: 'updated', as: 'number', label: 'Updated records' },
    { name: 'linked', label: 'Already here' },
    { name: 'skipped', label: 'Skipped' },
    { name: 'started_at', label: 'Started' },
    { name: 'finished_at', label: 'Finished' },
  ],
  recordActs: [
    {
      name: 'cancel',
      label: 'Cancel run',
      scope: MANAGES,
      method: 'POST',
      target: below(`${CRMS_API}/:account/runs`, '/cancel'),
      direct: true,
      when: isOpen,
      done: 'The run was canceled.',
      leadsTo: runPath,
    },
  ],
  none: 'No runs yet',
};

const leadOrDeal = (kind: unknown, id: unknown): string | undefined =>
  asText(id) && (kind === 'lead' || kind === 'deal')
    ? `/records/${kind}s/${encodeURIComponent(asText(id))}`
    : undefined;

/** What an import would do with each record. */
export const crmPreview: Resource = {
  path: '/crm/:account/runs/:run/preview',
  api: `${CRMS_API}/:account/runs/:run/preview`,
  scope: MANAGES,
  title: 'What an import would do',
  lead: 'Nothing has been changed.',
  paging: 'pages',
  flat: true,
  live: true,
  search: true,
  filters: [
    { name: 'action', label: 'Action', values: ['create', 'update', 'link', 'skip'] },
    { name: 'kind', label: 'Record', values: ['lead', 'deal'] },
  ],
  columns: [
    { name: 'name', href: ({ kind, placar_id: id }) => leadOrDeal(kind, id) },
    { name: 'kind', as: 'name', label: 'Record' },
    { name: 'action', as: 'status', label: 'Action' },
    { name: 'fields', as: 'changes', label: 'Now and then' },
    { name: 'reason', as: 'name', label: 'Reason' },
    { name: 'crm_id', as: 'code', label: 'Id in the CRM' },
  ],
  none: 'No records',
};

const resolvePath =
  (name: string) =>
  ({ account_id: account, id }: Json): string =>
    `/crm/${encodeURIComponent(asText(account))}/differences/${encodeURIComponent(asText(id))}/${name}`;

const isChoice = ({ resolvable }: Json): boolean => resolvable === true;
const isDeleted = ({ kind }: Json): boolean => kind === 'deleted_there';

function take(name: string, label: Message, side: string, more: Partial<Act>): Act {
  return {
    name,
    label,
    scope: MANAGES,
    method: 'POST',
    target: below(`${CRMS_API}/:account/differences`, '/resolve'),
    body: () => ({ take: side }),
    direct: true,
    done: 'Saved.',
    leadsTo: ({ account_id: account }) =>
      `/crm/${encodeURIComponent(asText(account))}/differences?resolved=false`,
    ...more,
  };
}

const deleteWhen = (row: Json): boolean => isChoice(row) && isDeleted(row);
const theirsWhen = (row: Json): boolean => isChoice(row) && !isDeleted(row);

export const crmDifferences: Resource = {
  path: '/crm/:account/differences',
  api: `${CRMS_API}/:account/differences`,
  scope: MANAGES,
  title: 'Differences',
  lead: 'Where Placar and the CRM differ. Differences without buttons resolve themselves once their cause is gone.',
  named: ({ name, crm_id: id }) => asText(name) || asText(id),
  paging: 'pages',
  filters: [
    { name: 'resolved', label: 'Resolved', values: ['true', 'false'] },
    {
      name: 'kind',
      label: 'Kind',
      values: [
        'changed_here',
        'refused_there',
        'deleted_there',
        'missing_email',
        'duplicate_email',
        'unknown_owner',
        'unmapped_stage',
        'invalid_value',
        'read_failed',
      ],
    },
    { name: 'record', label: 'Record', values: ['lead', 'deal', 'activity'] },
  ],
  columns: [
    { name: 'name', text: ({ name, crm_id: id }) => asText(name) || asText(id) },
    { name: 'kind', as: 'name', label: 'Kind' },
    { name: 'field', label: 'Field', text: ({ field }) => (field === '' ? '' : memberName(asText(field))) },
    { name: 'ours', as: 'side', label: 'Here' },
    { name: 'theirs', as: 'side', label: 'In the CRM' },
    { name: 'found_at', label: 'Found' },
    { name: 'resolved_at', label: 'Resolved' },
  ],
  more: [
    { name: 'record', as: 'name', label: 'Record' },
    {
      name: 'placar_id',
      as: 'code',
      label: 'Record here',
      href: ({ record, placar_id: id }) => leadOrDeal(record, id),
    },
    { name: 'crm_id', as: 'code', label: 'Id in the CRM' },
  ],
  omitted: ['account_id', 'resolvable', 'id'],
  recordActs: [
    take('take-ours', 'Take ours', 'ours', { when: isChoice }),
    take('take-theirs', 'Take theirs', 'theirs', { when: theirsWhen }),
    take('delete-here', 'Delete here', 'theirs', {
      direct: false,
      danger: true,
      text: 'The record was deleted in the CRM. It is deleted here too. This cannot be undone.',
      when: deleteWhen,
    }),
  ],
  rowActs: [
    { label: 'Take ours', scope: MANAGES, href: resolvePath('take-ours'), direct: true, when: isChoice },
    {
      label: 'Take theirs',
      scope: MANAGES,
      href: resolvePath('take-theirs'),
      direct: true,
      when: theirsWhen,
    },
    { label: 'Delete here', scope: MANAGES, href: resolvePath('delete-here'), when: deleteWhen },
  ],
  none: 'No differences',
};
