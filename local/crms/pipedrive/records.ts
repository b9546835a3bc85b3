/** Records of a company: changes with Pipedrive's rules, and merges. Each change emits its webhooks. */
import { randomUUID } from 'node:crypto';
import { VendorError } from '../../fakes/vendor-error.ts';
import { publish } from '../frame.ts';
import { nulls } from '../members.ts';
import { createRecords, type Row, rowOf } from '../records.ts';
import { type Account, type Company, type Kind, type PipedriveRow, SINGULAR } from './state.ts';

export const refusal = (status: number, error: string, more: Row = {}): VendorError =>
  new VendorError(status, { success: false, error, ...more });
export const invalid = (what: string): VendorError =>
  refusal(400, `Validation failed: ${what}`, { code: 'ERR_SCHEMA_VALIDATION_FAILED' });
const missing = (kind: Kind): VendorError =>
  refusal(404, `${SINGULAR[kind]} not found`, { code: 'NOT_FOUND' });

/** Times have whole seconds. */
const now = ({ kit }: Company): string => `${new Date(kit.clock.now()).toISOString().slice(0, 19)}Z`;

/** Sends an event to each webhook that has subscribed to it. Each has an id of its own. */
function emit(desk: Company, action: string, kind: Kind, row: PipedriveRow, more: Row = {}): void {
  const entity = SINGULAR[kind];
  for (const { id: webhook, order } of desk.account.webhooks) {
    const { event_action: actions = '', event_object: objects = '' } = order;
    if (![action, '*'].includes(actions) || ![entity, '*'].includes(objects)) continue;
    const meta = { action, entity, entity_id: String(row.id), id: randomUUID(), version: '2.0', ...more };
    publish(desk, webhook, `${action}.${entity}`, { data: action === 'delete' ? null : row, meta });
  }
}

function isCustom({ fields }: Account, kind: Kind, key: string, value: unknown): boolean {
  const field = (kind === 'deals' || kind === 'persons') && fields[kind].find((one) => one.key === key);
  if (!field) return false;
  const { type, options } = field;
  if (value === null) return true;
  const isOption = (id: unknown) => options.some((one) => one.id === id);
  if (type === 'enum') return isOption(value);
  if (type === 'set') return Array.isArray(value) && value.length > 0 && value.every(isOption);
  if (type === 'monetary') return typeof value === 'object' && value !== null && 'currency' in value;
  return typeof value === (type === 'double' ? 'number' : 'string');
}

/** What follows from a change of a deal: the pipeline of its stage, times of won and lost. */
function settleDeal({ rows }: Account, row: PipedriveRow, before: Row, change: Row, at: string): void {
  row.pipeline_id = rowOf(rows.stages, row.stage_id, () => invalid('stage_id: no such stage')).pipeline_id;
  if (change.lost_reason != null && row.status !== 'lost') throw invalid('lost_reason: only if lost');
  if (row.status === before.status) return;
  const [won_time, lost_time] = [row.status === 'won' ? at : null, row.status === 'lost' ? at : null];
  Object.assign(row, { won_time, lost_time, close_time: won_time ?? lost_time });
  if (row.status !== 'lost') row.lost_reason = null;
}

/** `[{value, primary, label}]` with one primary, the first by default. */
function details(list: Row[] = []): Row[] {
  const primary = list.find((one) => one.primary === true) ?? list[0];
  return list.map((one) => ({ label: 'work', ...one, primary: one === primary }));
}

function settle(desk: Company, kind: Kind, draft: PipedriveRow, before: Row, change: Row): void {
  if (kind === 'deals') settleDeal(desk.account, draft, before, change, now(desk));
  if (kind === 'persons') {
    if (change.job_title != null && !desk.account.options.contactSync)
      throw refusal(403, 'Contact sync is off');
    Object.assign(draft, { emails: details(draft.emails), phones: details(draft.phones) });
  }
  if (kind === 'activities' && draft.done !== before.done)
    draft.marked_as_done_time = draft.done ? now(desk) : null;
}

function defaults({ rows }: Account, kind: Kind): Row {
  const common = { owner_id: rows.users[0]?.id ?? null, custom_fields: {} };
  const deal = nulls('person_id org_id lost_reason close_time won_time lost_time expected_close_date');
  const open = { value: 0, currency: 'BRL', status: 'open', is_archived: false };
  if (kind === 'deals') return { ...common, ...deal, ...open, stage_id: rows.stages[0]?.id };
  if (kind === 'persons') return { ...common, ...nulls('org_id job_title'), emails: [], phones: [] };
  const activity = { ...common, ...nulls('deal_id marked_as_done_time'), type: 'call', done: false };
  return kind === 'activities' ? activity : {};
}

export const records = createRecords<Account, Kind, PipedriveRow>({
  ...{ missing, invalid, isCustom, settle },
  references: { owner_id: 'users', person_id: 'persons', org_id: 'organizations', deal_id: 'deals' },
  blank(desk, kind) {
    const times = { add_time: now(desk), update_time: now(desk) };
    return { id: desk.kit.nextNumber(), ...times, ...defaults(desk.account, kind) };
  },
  touched: (desk) => ({ update_time: now(desk) }),
  emit: (desk, action, kind, row) => emit(desk, action === 'restore' ? 'change' : action, kind, row),
});

/** Merges as a person does. */
export function merge(desk: Company, kind: 'persons' | 'deals', winnerId: number, loserId: number): void {
  const loser = records(desk).find(kind, loserId);
  const winner = records(desk).merge(kind, winnerId, loserId, `${SINGULAR[kind]}_id`);
  emit(desk, 'delete', kind, loser, { merged_to_id: String(winnerId) });
  emit(desk, 'change', kind, winner);
}

/** A record as the API reads it: also a deleted one. */
export function read({ account: { rows, bin, options } }: Company, kind: Kind, id: string): PipedriveRow {
  const deleted = options.deletedReads === 'marked' ? bin[kind] : [];
  return rowOf([...rows[kind], ...deleted], id, () => missing(kind));
}
