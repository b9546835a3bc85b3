/** Records of an account: changes with RD's rules. They emit webhooks to those who registered for the event. */
import { randomBytes } from 'node:crypto';
import { VendorError } from '../../fakes/vendor-error.ts';
import { publish } from '../frame.ts';
import { nulls } from '../members.ts';
import { type Action, createRecords, now, type Row, rowOf } from '../records.ts';
import { type Account, type App, CREATED_AS, type Kind, type RdRow } from './state.ts';

/** `{errors: [...]}`. */
export const refusal = (status: number, detail: string, headers: Record<string, string> = {}): VendorError =>
  new VendorError(status, { errors: [{ status: String(status), detail }] }, headers);
export const invalid = (detail: string): VendorError => refusal(422, detail);
export const newId = (): string => randomBytes(12).toString('hex');

const VERBS = { create: 'created', change: 'updated', delete: 'deleted', restore: 'created' };

export type EventMember = 'event_name' | 'event_type';
export const webhookMembers = ({ options }: Account): { event: EventMember; data: string } =>
  options.webhookBody === 'data'
    ? { event: 'event_type', data: 'data' }
    : { event: 'event_name', data: 'document' };

function emit(desk: App, action: Action, kind: Kind, row: RdRow): void {
  const name = `crm_${kind.slice(0, -1)}_${VERBS[action]}`;
  const { event, data } = webhookMembers(desk.account);
  const body = { [event]: name, [data]: row };
  for (const { id, order } of desk.account.webhooks)
    if ((order.event_name ?? order.event_type) === name) publish(desk, id, name, body);
}

function isCustom({ rows }: Account, kind: Kind, key: string, value: unknown): boolean {
  const field = rows.custom_fields.find((row) => row.slug === key && row.entity === kind.slice(0, -1));
  if (field === undefined || value === null) return field !== undefined;
  if (field.type === 'text') return typeof value === 'string' || typeof value === 'number';
  if (field.type === 'date') return /^\d{4}-\d\d-\d\d$/.test(String(value));
  const { options } = field;
  return Array.isArray(options) && [value].flat().every((one) => options.includes(one));
}

/** What follows from a change of a deal: the pipeline of its stage, the sum of prices, the time when it was closed. */
function settleDeal({ rows }: Account, row: RdRow, before: Row, change: Row, at: string): void {
  const stage = rowOf(rows.stages, row.stage_id, () => invalid('stage_id does not exist'));
  const total_price = Number(row.one_time_price) + Number(row.recurrence_price);
  Object.assign(row, { pipeline_id: stage.pipeline_id, total_price });
  if (change.lost_reason_id != null && row.status !== 'lost') throw invalid('lost_reason_id: only if lost');
  if (row.status === before.status) return;
  row.closed_at = row.status === 'won' || row.status === 'lost' ? at : null;
  if (row.status !== 'lost') row.lost_reason_id = null;
}

function settle(desk: App, kind: Kind, draft: RdRow, before: Row, change: Row): void {
  if (kind === 'deals') settleDeal(desk.account, draft, before, change, now(desk));
  if (kind !== 'tasks' || draft.status === before.status) return;
  const done = { completed_at: now(desk), completed_by_id: desk.account.rows.users[0]?.id ?? null };
  Object.assign(draft, draft.status === 'completed' ? done : nulls('completed_at completed_by_id'));
}

function defaults({ rows }: Account, kind: Kind): Row {
  const [status, owner] = [CREATED_AS[kind], rows.users[0]?.id ?? null];
  const contact = { ...nulls('job_title organization_id'), emails: [], phones: [], custom_fields: {} };
  if (kind === 'contacts') return contact;
  const task = { ...nulls('completed_at completed_by_id deal_id'), type: 'call', owner_ids: [owner] };
  if (kind === 'tasks') return { ...task, status };
  const deal = nulls('expected_close_date closed_at lost_reason_id organization_id');
  const prices = { recurrence_price: 0, one_time_price: 0, contact_ids: [], custom_fields: {} };
  const place = { status, owner_id: owner, stage_id: rows.stages[0]?.id };
  return kind === 'deals' ? { ...deal, ...prices, ...place } : {};
}

export const records = createRecords<Account, Kind, RdRow>({
  ...{ invalid, isCustom, settle, emit },
  references: {
    ...{ organization_id: 'organizations', owner_id: 'users', lost_reason_id: 'lost_reasons' },
    ...{ deal_id: 'deals', contact_ids: 'contacts', owner_ids: 'users' },
  },
  missing: (kind) => refusal(404, `${kind}: not found`),
  blank(desk, kind) {
    return {
      id: newId(),
      ...defaults(desk.account, kind),
      created_at: now(desk),
      updated_at: now(desk),
    };
  },
  touched: (desk) => ({ updated_at: now(desk) }),
});
