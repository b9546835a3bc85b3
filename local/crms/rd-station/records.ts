/** Records of an account: changes with RD's rules, and deletion. Changes emit webhooks to those who registered for the event. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { nulls } from '../members.ts';
import { createRecords, differences, type Records, type Row, rowOf, stageAfter } from '../shared.ts';
import { type Account, type Kind, LISTS, type RdRow } from './state.ts';

interface Place {
  kit: FakeKit<Account>;
  account: Account;
}

export interface Desk extends Place, Records<Kind, RdRow> {
  /** Merges contacts as a person does. Nothing is sent. */
  merge(winner: string, loser: string): void;
}

/** `{errors: [...]}`. */
export const refusal = (status: number, detail: string, headers: Record<string, string> = {}): VendorError =>
  new VendorError(status, { errors: [{ status: String(status), detail }] }, headers);
export const invalid = (detail: string): VendorError => refusal(422, detail);
export const newId = (): string => randomBytes(12).toString('hex');

function emit(
  { kit, account }: Place,
  action: 'created' | 'updated' | 'deleted',
  kind: Kind,
  row: RdRow,
): void {
  const name = `crm_${LISTS[kind].event}_${action}`;
  const { webhookBody } = account.options;
  const body = JSON.stringify(
    webhookBody === 'document' ? { event_name: name, document: row } : { event_type: name, data: row },
  );
  const meant = account.webhooks.filter(
    ({ order, status }) => order.event_name === name && status === 'active',
  );
  kit.webhooks.publish(
    { id: randomUUID(), name, account: account.id, body },
    meant.map(({ id }) => id),
  );
}

function checkCustomFields({ rows }: Account, entity: string, values: Row): void {
  for (const [slug, value] of Object.entries(values)) {
    const field = rows.custom_fields.find((one) => one.slug === slug && one.entity === entity);
    if (field === undefined) throw invalid(`custom_fields.${slug} does not exist`);
    const options = field.options as unknown[];
    const isValid = {
      text: () => typeof value === 'string' || typeof value === 'number',
      date: () => /^\d{4}-\d\d-\d\d$/.test(String(value)),
      option: () => options.includes(value),
      multiple_choice: () => Array.isArray(value) && value.every((one) => options.includes(one)),
    }[String(field.type)];
    if (value !== null && !isValid?.()) throw invalid(`custom_fields.${slug} is not valid`);
  }
}

const REFERENCES: Record<string, Kind> = {
  ...{
    organization_id: 'organizations',
    owner_id: 'users',
    lost_reason_id: 'lost_reasons',
    deal_id: 'deals',
  },
  ...{ contact_ids: 'contacts', owner_ids: 'users', stage_id: 'stages', pipeline_id: 'pipelines' },
};

/** What follows from a change of a deal: pipeline and stage fit, price is the sum, times of won and lost. */
function settleDeal({ rows }: Account, row: RdRow, before: Row, change: Row, now: string): void {
  const stage = stageAfter(rows.stages, row, change);
  if (stage === undefined) throw invalid('stage_id does not exist');
  if ('pipeline_id' in change && stage.pipeline_id !== change.pipeline_id)
    throw invalid('stage_id is not a stage of pipeline_id');
  const total = Number(row.one_time_price) + Number(row.recurrence_price);
  Object.assign(row, { stage_id: stage.id, pipeline_id: stage.pipeline_id, total_price: total });
  if (change.lost_reason_id != null && row.status !== 'lost')
    throw invalid('lost_reason_id: only if status is lost');
  if (row.status === before.status) return;
  row.closed_at = row.status === 'won' || row.status === 'lost' ? now : null;
  if (row.status !== 'lost') row.lost_reason_id = null;
}

/** Applies a change in place. Throws a refusal and changes nothing. */
function apply({ account, kit }: Place, kind: Kind, row: RdRow, before: Row, change: Row): void {
  const now = new Date(kit.clock.now()).toISOString();
  const draft: RdRow = { ...row, ...change };
  for (const [member, of] of Object.entries(REFERENCES))
    for (const id of [change[member] ?? []].flat())
      rowOf(account.rows[of], id, () => invalid(`${member} does not exist`));
  if ('custom_fields' in row) {
    draft.custom_fields = { ...(row.custom_fields as Row), ...(change.custom_fields as Row) };
    checkCustomFields(account, LISTS[kind].event, draft.custom_fields as Row);
  }
  if (kind === 'deals') settleDeal(account, draft, before, change, now);
  if (kind === 'tasks' && draft.status !== before.status) {
    const isDone = draft.status === 'completed';
    Object.assign(draft, { completed_at: isDone ? now : null });
    draft.completed_by_id = isDone ? (account.rows.users[0]?.id ?? null) : null;
  }
  if (Object.keys(differences(draft, row)).length > 0) Object.assign(row, draft, { updated_at: now });
}

function defaults({ rows }: Account, kind: Kind): Row {
  const [stage, user] = [rows.stages[0], rows.users[0]];
  const lists = { emails: [], phones: [], social_profiles: [], legal_bases: [], custom_fields: {} };
  if (kind === 'contacts') return { ...nulls('job_title birthday organization_id'), ...lists };
  if (kind === 'organizations') return { ...nulls('description url owner_id'), custom_fields: {} };
  if (kind === 'custom_fields') return { type: 'text', entity: 'contact', options: [], order: 0 };
  if (kind === 'tasks')
    return {
      ...nulls('description due_date completed_at completed_by_id deal_id'),
      ...{ type: 'call', status: 'open', owner_ids: [user?.id], created_by_id: user?.id },
    };
  if (kind !== 'deals') return {};
  return {
    ...nulls('expected_close_date closed_at source_id campaign_id lost_reason_id organization_id'),
    ...{
      recurrence_price: 0,
      one_time_price: 0,
      total_price: 0,
      rating: 1,
      status: 'ongoing',
      contact_ids: [],
    },
    ...{ stage_id: stage?.id, pipeline_id: stage?.pipeline_id, owner_id: user?.id, custom_fields: {} },
  };
}

export function deskOf(kit: FakeKit<Account>, account: Account): Desk {
  const { rows, bin } = account;
  const now = () => new Date(kit.clock.now()).toISOString();
  const missing = (kind: Kind) => refusal(404, `${kind}: not found`);
  const records = createRecords<Kind, RdRow>({
    ...{ rows, missing },
    blank: (kind) => ({ id: newId(), ...defaults(account, kind), created_at: now(), updated_at: now() }),
    apply: (kind, row, before, values) => apply({ kit, account }, kind, row, before, values),
    emit: (action, kind, _, row) =>
      emit({ kit, account }, action === 'create' ? 'created' : 'updated', kind, row),
  });
  const move = (from: Record<Kind, RdRow[]>, to: Record<Kind, RdRow[]>, kind: Kind, id: unknown): RdRow => {
    const row = rowOf(from[kind], id, () => missing(kind));
    from[kind] = from[kind].filter((one) => one !== row);
    to[kind].push(row);
    return row;
  };
  return {
    ...{ kit, account, ...records },
    remove: (kind, id) => emit({ kit, account }, 'deleted', kind, move(rows, bin, kind, id)),
    restore(kind, id) {
      const row = Object.assign(move(bin, rows, kind, id), { updated_at: now() });
      emit({ kit, account }, 'created', kind, row);
      return row;
    },
    merge(winnerId, loserId) {
      const [winner, loser] = [records.find('contacts', winnerId), move(rows, bin, 'contacts', loserId)];
      for (const name of ['emails', 'phones'])
        winner[name] = [...(winner[name] as unknown[]), ...(loser[name] as unknown[])];
      winner.updated_at = now();
      for (const deal of rows.deals) {
        const ids = (deal.contact_ids as string[]).map((id) => (id === loserId ? winnerId : id));
        deal.contact_ids = [...new Set(ids)];
      }
    },
  };
}
