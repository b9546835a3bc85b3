/** State of an account (portal): objects, whose properties are members of their rows, by HubSpot's rules. Changes are sent as events. */
import { randomUUID } from 'node:crypto';
import { VendorError } from '../../fakes/vendor-error.ts';
import { publish } from '../frame.ts';
import { type CrmAccount, createRecords, type Desk, differences, now, type Row, rowOf } from '../records.ts';

const kindOf = (singular: string, typeId: string, names: string) => ({ singular, typeId, names });
const DEAL = `createdate dealname amount deal_currency_code closedate dealstage pipeline closed_lost_reason hs_is_closed hs_is_closed_won`;
/** By kind: its name and type in events, and its properties besides those that all have. */
export const KINDS = {
  contacts: kindOf('contact', '0-1', 'createdate email firstname lastname phone jobtitle company'),
  deals: kindOf('deal', '0-3', DEAL),
  calls: kindOf('call', '0-48', 'hs_timestamp hs_call_title'),
  meetings: kindOf('meeting_event', '0-47', 'hs_timestamp hs_meeting_title'),
  emails: kindOf('email', '0-49', 'hs_timestamp'),
  tasks: kindOf('task', '0-27', 'hs_timestamp hs_task_subject hs_task_status hs_task_completion_date'),
};
export type Kind = keyof typeof KINDS;
// The keys of a constant have its type.
export const kinds = Object.keys(KINDS) as Kind[];
/** The property with the time of the last change. */
export const changedOf = (kind: Kind): string =>
  kind === 'contacts' ? 'lastmodifieddate' : 'hs_lastmodifieddate';

/** `contacts` are those of a deal, in the order of their association. */
export type HubspotRow = Row & { id: string; contacts?: string[]; mergedInto?: string };

export const DEFAULTS = {
  ...{ per10Seconds: 100, daily: 250_000, searchesPerSecond: 4 },
  /** How long searches do not see an object after its creation or change. */
  searchLagMs: 0,
  timeZone: 'America/Sao_Paulo',
};
export type Options = typeof DEFAULTS;

export interface Account extends CrmAccount<Kind, HubspotRow, Options> {
  /** Of the app, or a service key. */
  token: string;
  /** The app's secret. A service key has none. */
  clientSecret: string | null;
  /** Types of properties that were added, by name. */
  added: Partial<Record<Kind, Record<string, string>>>;
  owners: { id: string; email: string; firstName: string; lastName: string; archived: boolean }[];
  pipelines: { id: string; label: string; stages: Stage[] }[];
  subscriptions: { subscriptionType: string; objectType: string; propertyName?: string | undefined }[];
  /** Events that wait for the next batch. */
  pending: Row[];
}
type Stage = { id: string; label: string; metadata: { isClosed: string; probability: string } };
export type Portal = Desk<Account>;

export const isTime = (name: string): boolean => /(date|timestamp)$/.test(name);

/** Types of all properties by name. */
export function typesOf({ added }: Account, kind: Kind): Record<string, string> {
  const names = `${KINDS[kind].names} hubspot_owner_id hs_object_id ${changedOf(kind)}`.split(' ');
  const types = names.map((name) => [name, isTime(name) ? 'datetime' : 'string']);
  return { ...Object.fromEntries(types), ...added[kind] };
}

export const refusal = (status: number, category: string, message: string, more: Row = {}): VendorError =>
  new VendorError(status, { status: 'error', message, correlationId: randomUUID(), category, ...more });
export const invalid = (message: string): VendorError => refusal(400, 'VALIDATION_ERROR', message);
export const missing = (): VendorError => refusal(404, 'OBJECT_NOT_FOUND', 'resource not found');

/** HubSpot accepts ISO 8601 and milliseconds. */
export const msOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(text));

const [BATCH, FLUSH_MS] = [100, 100];

/** Queues an event for each subscription to it. */
function emit({ kit, account }: Portal, verb: string, kind: Kind, row: HubspotRow, more: Row = {}): void {
  const { singular, typeId } = KINDS[kind];
  for (const { subscriptionType, objectType, propertyName } of account.subscriptions) {
    if (subscriptionType !== `object.${verb}` || objectType !== singular) continue;
    if (propertyName !== more.propertyName) continue;
    const ids = { eventId: kit.nextNumber(), subscriptionId: 1, portalId: Number(account.id) };
    const about = { objectId: Number(row.id), objectTypeId: typeId, occurredAt: kit.clock.now(), ...more };
    account.pending.push({ ...ids, subscriptionType, ...about });
    if (account.pending.length === 1)
      kit.clock.schedule('hubspot:flush', kit.clock.now() + FLUSH_MS, { account: account.id });
  }
}

/** Sends the events that wait. */
export function flush(desk: Portal): void {
  while (desk.account.pending.length > 0)
    publish(desk, 'app', 'events', desk.account.pending.splice(0, BATCH));
}

const READ_ONLY =
  /^createdate$|lastmodifieddate$|^hs_(object_id|is_closed|is_closed_won|task_completion_date)$/;
const PATTERNS: Record<string, RegExp> = { amount: /^-?\d+(\.\d+)?$/, email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/ };

/** The value of a property as it is kept. Throws a refusal. */
function kept(account: Account, kind: Kind, name: string, text: string): string | null {
  const type = typesOf(account, kind)[name];
  if (type === undefined) throw invalid(`${name}: PROPERTY_DOESNT_EXIST`);
  if (READ_ONLY.test(name)) throw invalid(`${name}: READ_ONLY_VALUE`);
  if (text === '') return null;
  const isOwner = name !== 'hubspot_owner_id' || account.owners.some(({ id }) => id === text);
  const ms = type === 'datetime' ? msOf(text) : 0;
  if (!isOwner || Number.isNaN(ms) || PATTERNS[name]?.test(text) === false)
    throw invalid(`${name}: INVALID_VALUE`);
  return type === 'datetime' ? new Date(ms).toISOString() : name === 'email' ? text.toLowerCase() : text;
}

function settle(desk: Portal, kind: Kind, draft: HubspotRow, before: HubspotRow, change: Row): void {
  const { rows, pipelines } = desk.account;
  for (const [name, value] of Object.entries(change))
    Object.assign(draft, { [name]: kept(desk.account, kind, name, String(value ?? '')) });
  const isOther = ({ id, email }: HubspotRow) => id !== draft.id && email === draft.email;
  const other = change.email ? rows.contacts.find(isOther) : undefined;
  if (other) throw refusal(409, 'CONFLICT', `Contact already exists. Existing ID: ${other.id}`);
  if (kind === 'tasks' && draft.hs_task_status !== before.hs_task_status)
    draft.hs_task_completion_date = draft.hs_task_status === 'COMPLETED' ? now(desk) : null;
  if (kind !== 'deals') return;
  const stages = pipelines.find(({ id }) => id === draft.pipeline)?.stages ?? [];
  const stage = rowOf(stages, draft.dealstage, () => invalid('dealstage: INVALID_VALUE'));
  const { isClosed, probability } = stage.metadata;
  const isNew = isClosed === 'true' && before.hs_is_closed !== 'true' && !('closedate' in change);
  const hs_is_closed_won = String(isClosed === 'true' && Number(probability) === 1);
  Object.assign(draft, {
    hs_is_closed: isClosed,
    hs_is_closed_won,
    ...(isNew && { closedate: now(desk) }),
  });
}

const VERBS = { create: 'creation', delete: 'deletion', restore: 'restore', change: '' };

export const records = createRecords<Account, Kind, HubspotRow>({
  ...{ missing, invalid, settle, references: {} },
  blank(desk, kind) {
    const [id, at] = [String(1000 + desk.kit.nextNumber()), now(desk)];
    const empty = Object.keys(typesOf(desk.account, kind)).map((name) => [name, null]);
    const [first] = desk.account.pipelines;
    const deal = { pipeline: first?.id, dealstage: first?.stages[0]?.id, contacts: [] };
    const values = { hs_object_id: id, createdate: at, [changedOf(kind)]: at, ...(kind === 'deals' && deal) };
    return { ...Object.fromEntries(empty), ...values, id };
  },
  touched: (desk, kind) => ({ [changedOf(kind)]: now(desk) }),
  emit(desk, action, kind, row, before) {
    if (action !== 'change') emit(desk, VERBS[action], kind, row);
    for (const [propertyName, value] of Object.entries(differences(row, before)))
      emit(desk, 'propertyChange', kind, row, { propertyName, propertyValue: value ?? '' });
  },
});

/** Merges as a person does. With `isNew`, the merge makes a new object. Returns the object that remains. */
export function merge(desk: Portal, kind: Kind, primary: string, merged: string, isNew: boolean): HubspotRow {
  const { rows, bin } = desk.account;
  const first = records(desk).find(kind, primary);
  const id = isNew ? String(1000 + desk.kit.nextNumber()) : primary;
  if (isNew) rows[kind].push({ ...first, id, hs_object_id: id });
  for (const loser of isNew ? [primary, merged] : [merged]) {
    records(desk).merge(kind, id, loser, 'contacts');
    rowOf(bin[kind], loser, missing).mergedInto = id;
  }
  const ids = { primaryObjectId: Number(primary), mergedObjectIds: [Number(merged)] };
  emit(desk, 'merge', kind, first, { ...ids, ...(isNew && { newObjectId: Number(id) }) });
  return records(desk).find(kind, id);
}

/** Links a deal to a contact, or removes the link. */
export function link(desk: Portal, dealId: string, contactId: string, isLinked: boolean): void {
  const { find } = records(desk);
  const [deal, { id }] = [find('deals', dealId), find('contacts', contactId)];
  const { contacts = [] } = deal;
  if (contacts.includes(id) === isLinked) return;
  deal.contacts = isLinked ? [...contacts, id] : contacts.filter((one) => one !== id);
  const ids = { fromObjectId: Number(deal.id), toObjectId: Number(id) };
  emit(desk, 'associationChange', 'deals', deal, { associationType: 'DEAL_TO_CONTACT', ...ids });
}

/** An object as HubSpot shows it, with these properties of those that exist. Default: all. */
export function shown(row: HubspotRow, kind: Kind, names: readonly string[] = Object.keys(row)) {
  const known = [...names, 'hs_object_id', changedOf(kind)].filter((name) => name in row);
  const entries = known.map((name) => [name, row[name] as string | null]); // Properties are texts.
  const properties: Record<string, string | null> = Object.fromEntries(entries);
  return { id: row.id, properties, updatedAt: String(row[changedOf(kind)]), archived: false };
}
