// Runs of CRMs, what a preview lists, and differences.
import { asText, type Json } from '../api/json.ts';
import { memberName } from '../kit/changes.tsx';
import { type Message, t, tName } from '../kit/language.ts';
import { CRMS_API, MANAGES } from './crm-forms.ts';
import { type Act, below, type Resource } from './resource.ts';

export const runPath = ({ account_id: account, id, kind }: Json): string =>
  `/crm/${encodeURIComponent(asText(account))}/runs/${encodeURIComponent(asText(id))}${kind === 'preview' ? '/preview' : ''}`;

/** Time between refreshes of pages that show something in progress. */
export const PROGRESS_POLL_MS = 5000;

/** Whether the run is not finished. */
export const isOpen = ({ status }: Json): boolean =>
  ['queued', 'running', 'waiting'].includes(asText(status));

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
    { name: 'unchanged', label: 'Unchanged' },
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

/** What to do about each kind of difference. */
const advice: Readonly<Record<string, Message>> = {
  changed_here:
    'Changes go from the CRM to Placar only. Take ours writes the value here into the CRM, Take theirs writes the value of the CRM here.',
  refused_there: 'The CRM refused the value here. Change it here, or take theirs.',
  deleted_there: 'Take ours keeps the record here, Delete here deletes it.',
  missing_email: 'Enter an email address in the CRM: it identifies the lead.',
  duplicate_email: 'Another contact has this address. Merge the two in the CRM, or change one of them.',
  unknown_owner: 'Invite the owner as a user, with this address, under Records, Users.',
  unmapped_stage: 'Map the stage on the page of the account.',
  invalid_value: 'Correct the value in the CRM.',
  read_failed: 'The record could not be read. It is tried again each hour.',
};

const deleteWhen = (row: Json): boolean => isChoice(row) && isDeleted(row);
const theirsWhen = (row: Json): boolean => isChoice(row) && !isDeleted(row);

export const crmDifferences: Resource = {
  path: '/crm/:account/differences',
  api: `${CRMS_API}/:account/differences`,
  scope: MANAGES,
  title: 'Differences',
  lead: 'Where Placar and the CRM differ. Invite unknown owners as users, map stages, and correct the other values in the CRM. Differences without buttons then resolve themselves when changes are read.',
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
    {
      name: 'advice',
      label: 'What to do',
      text: ({ kind, resolved_at: resolvedAt }) => {
        const words = advice[asText(kind)];
        return words && resolvedAt === null ? t(words) : '';
      },
    },
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
