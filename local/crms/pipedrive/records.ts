/** Records of a company: changes with Pipedrive's rules, deletion and merges. Each change emits its webhooks. */
import { randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { nulls } from '../members.ts';
import { createRecords, differences, type Records, type Row, stageAfter } from '../shared.ts';
import { type Account, type Field, type Kind, type PipedriveRow, SINGULAR } from './state.ts';

interface Place {
  kit: FakeKit<Account>;
  account: Account;
}

export interface Desk extends Place, Records<Kind, PipedriveRow> {
  /** A record as the API reads it: also a deleted one, until it is purged. */
  read(kind: Kind, id: string): PipedriveRow;
  /** Merges as a person does: the winner gets what it lacks, and what referred to the loser. */
  merge(kind: 'persons' | 'deals' | 'organizations', winner: number, loser: number): void;
}

export const refusal = (status: number, error: string, more: Row = {}): VendorError =>
  new VendorError(status, {
    success: false,
    error,
    error_info: 'Please check developers.pipedrive.com',
    ...more,
  });
export const invalid = (what: string): VendorError =>
  refusal(400, `Validation failed: ${what}`, { code: 'ERR_SCHEMA_VALIDATION_FAILED' });
const missing = (kind: Kind): VendorError =>
  refusal(404, `${SINGULAR[kind]} not found`, { code: 'NOT_FOUND' });

/** Times have whole seconds. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const PURGED_AFTER_MS = 30 * 24 * 3_600_000;

/** Sends an event to each webhook that has subscribed to it. Each has an id of its own. */
function emit(
  { kit, account }: Place,
  action: string,
  kind: Kind,
  before: Row | null,
  after: Row | null,
  more = {},
) {
  const entity = SINGULAR[kind];
  const previous = before && after ? differences(before, after) : before;
  const now = kit.clock.now();
  for (const { id, order, bannedUntilMs } of account.webhooks) {
    const isMeant = [action, '*'].includes(order.event_action) && [entity, '*'].includes(order.event_object);
    if (!isMeant || bannedUntilMs > now) continue;
    const event = { id: randomUUID(), name: `${action}.${entity}`, account: account.id };
    const meta = {
      ...{
        action,
        entity,
        entity_id: String((after ?? before)?.id),
        id: event.id,
        version: '2.0',
        attempt: 1,
      },
      ...{ timestamp: new Date(now).toISOString(), company_id: account.id, webhook_id: String(id), ...more },
      ...{
        host: `${account.domain}.pipedrive.com`,
        type: 'general',
        is_bulk_edit: false,
        change_source: 'app',
      },
    };
    kit.webhooks.publish({ ...event, body: JSON.stringify({ data: after, previous, meta }) }, [String(id)]);
  }
}

const CHECKS: Record<Field['type'], (value: unknown, isOption: (id: unknown) => boolean) => boolean> = {
  varchar: (value) => typeof value === 'string' && value.length <= 255,
  text: (value) => typeof value === 'string',
  double: (value) => typeof value === 'number',
  monetary: (value) => typeof value === 'object' && value !== null && 'value' in value && 'currency' in value,
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
  enum: (value, isOption) => isOption(value),
  set: (value, isOption) => Array.isArray(value) && value.length > 0 && value.every(isOption),
};

function checkCustomFields(fields: readonly Field[], values: Row): void {
  for (const [key, value] of Object.entries(values)) {
    const field = fields.find((one) => one.key === key);
    if (field === undefined) throw invalid(`custom_fields: '${key}' is not allowed`);
    if (value !== null && !CHECKS[field.type](value, (one) => field.options.some(({ id }) => id === one)))
      throw invalid(`custom_fields.${key} is not valid`);
  }
}

const ONLY_IF = { lost_reason: 'lost', lost_time: 'lost', won_time: 'won' };

/** What follows from a change of a deal: pipeline of a stage, first stage of a pipeline, times of won and lost. */
function settleDeal({ rows }: Account, row: PipedriveRow, before: Row, change: Row, now: string): void {
  const stage = stageAfter(rows.stages, row, change);
  if (stage === undefined) throw invalid('stage_id: no such stage');
  Object.assign(row, { stage_id: stage.id, pipeline_id: stage.pipeline_id });
  if (row.stage_id !== before.stage_id) row.stage_change_time = now;
  if (row.is_archived !== before.is_archived) row.archive_time = row.is_archived ? now : null;
  for (const [member, status] of Object.entries(ONLY_IF))
    if (change[member] != null && row.status !== status)
      throw invalid(`${member}: only if status is ${status}`);
  if (row.status === before.status) return;
  row.won_time = row.status === 'won' ? (change.won_time ?? now) : null;
  row.lost_time = row.status === 'lost' ? (change.lost_time ?? now) : null;
  row.close_time = row.won_time ?? row.lost_time;
  if (row.status !== 'lost') row.lost_reason = null;
}

const REFERENCES = {
  owner_id: 'users',
  person_id: 'persons',
  org_id: 'organizations',
  deal_id: 'deals',
} as const;

/** `[{value, primary, label}]` with one primary, the first by default. */
function contacts(list: unknown): Row[] {
  const given = list as Row[];
  const primary = Math.max(
    given.findIndex((one) => one.primary === true),
    0,
  );
  return given.map((one, index) => ({ label: 'work', ...one, primary: index === primary }));
}

/** Applies a change in place. Throws a refusal and changes nothing. */
function apply({ account, kit }: Place, kind: Kind, row: PipedriveRow, before: Row, change: Row): void {
  const now = timeText(kit.clock.now());
  const draft: PipedriveRow = { ...row, ...change };
  for (const [member, of] of Object.entries(REFERENCES))
    if (change[member] != null && !account.rows[of].some(({ id }) => id === change[member]))
      throw invalid(`${member}: no such ${SINGULAR[of]}`);
  if (kind === 'deals' || kind === 'persons') {
    draft.custom_fields = { ...(row.custom_fields as Row), ...(change.custom_fields as Row) };
    checkCustomFields(account.fields[kind], draft.custom_fields as Row);
  }
  if (kind === 'deals') settleDeal(account, draft, before, change, now);
  if (kind === 'persons') {
    if (change.job_title != null && !account.options.contactSync) throw refusal(403, 'Contact sync is off');
    const [first, ...rest] = String(draft.name).split(' ');
    Object.assign(draft, { first_name: first, last_name: rest.join(' ') || null });
    Object.assign(draft, { emails: contacts(draft.emails), phones: contacts(draft.phones) });
  }
  if (kind === 'activities') {
    const people = draft.participants as { person_id: number; primary?: boolean }[];
    draft.person_id = (people.find(({ primary }) => primary) ?? people[0])?.person_id ?? null;
    if (draft.done !== before.done) draft.marked_as_done_time = draft.done ? now : null;
  }
  if (Object.keys(differences(draft, row)).length > 0) Object.assign(row, draft, { update_time: now });
}

function defaults({ rows }: Account, kind: Kind): Row {
  const [stage] = rows.stages;
  const common = { owner_id: rows.users[0]?.id, visible_to: 3, label_ids: [], custom_fields: {} };
  const lists = { emails: [], phones: [], participants: [] };
  const { emails, phones, participants } = lists;
  if (kind === 'deals')
    return {
      ...nulls(
        'person_id org_id probability lost_reason close_time won_time lost_time expected_close_date archive_time',
      ),
      ...{ ...common, value: 0, currency: 'BRL', status: 'open', is_archived: false },
      ...{ stage_id: stage?.id, pipeline_id: stage?.pipeline_id },
    };
  if (kind === 'persons') return { ...common, org_id: null, emails, phones };
  if (kind === 'activities')
    return {
      ...nulls('marked_as_done_time deal_id lead_id org_id person_id due_date due_time note'),
      ...{ owner_id: common.owner_id, type: 'call', done: false, participants },
    };
  return kind === 'organizations' ? common : {};
}

export function deskOf(kit: FakeKit<Account>, account: Account): Desk {
  const now = () => timeText(kit.clock.now());
  const records = createRecords<Kind, PipedriveRow>({
    ...{ rows: account.rows, missing },
    blank(kind) {
      const times = { is_deleted: false, add_time: now(), update_time: now() };
      return { id: kit.nextNumber(), ...times, ...defaults(account, kind) };
    },
    apply: (kind, row, before, values) => apply({ kit, account }, kind, row, before, values),
    emit: (action, kind, before, after) => emit({ kit, account }, action, kind, before, after),
  });
  const { find } = records;
  const mark = (row: PipedriveRow, isDeleted: boolean) => {
    const before = structuredClone(row);
    Object.assign(row, { is_deleted: isDeleted, update_time: now() });
    return before;
  };
  const remove = (kind: Kind, id: string | number, more = {}) => {
    const row = find(kind, id);
    if (row.is_deleted === true) throw missing(kind);
    emit({ kit, account }, 'delete', kind, mark(row, true), null, more);
  };
  return {
    ...{ kit, account, ...records, remove },
    read(kind, id) {
      const row = find(kind, id);
      const isPurged = Date.parse(String(row.update_time)) + PURGED_AFTER_MS < kit.clock.now();
      if (row.is_deleted && (isPurged || account.options.deletedReads === 'gone')) throw missing(kind);
      return row;
    },
    restore(kind, id) {
      const row = find(kind, id);
      emit({ kit, account }, 'change', kind, mark(row, false), row);
      return row;
    },
    merge(kind, winnerId, loserId) {
      const [winner, loser] = [find(kind, winnerId), find(kind, loserId)];
      remove(kind, loserId, { merged_to_id: String(winnerId) });
      const reference = kind === 'organizations' ? 'org_id' : `${SINGULAR[kind]}_id`;
      for (const row of Object.values(account.rows).flat())
        if (row[reference] === loserId) row[reference] = winnerId;
      const before = structuredClone(winner);
      for (const [name, value] of Object.entries(loser)) {
        const own = winner[name];
        if (own == null) winner[name] = value;
        if (name === 'emails' || name === 'phones')
          winner[name] = contacts([...(own as []), ...(value as [])]);
      }
      winner.update_time = now();
      emit({ kit, account }, 'change', kind, before, winner);
    },
  };
}
