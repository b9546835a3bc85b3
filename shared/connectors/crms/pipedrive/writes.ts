// Writes of persons and deals.
import { listChanges } from '../changes.ts';
import type { CrmValues, WritableKind } from '../crm.ts';
import type { ListPage, PipedriveClient } from './client.ts';
import { paths, searchPace } from './facts.ts';
import { type CustomFields, toNumber } from './fields.ts';
import { changesOf, mainDetail, type RawRecords } from './records.ts';
import { type ContactDetail, type Deal, dealSchema, foundSchema, personSchema } from './wire.ts';

/** Our clock and Pipedrive's differ, and its times have no fractions of a second. */
const CLOCK_TOLERANCE_MS = 2000;
const CREATED_WITHIN_MS = 60_000;

type Body = Record<string, unknown>;
type Change<K extends WritableKind> = Partial<CrmValues[K]>;
type ToBody<K extends WritableKind> = (
  change: Change<K>,
  fields: CustomFields,
  before: RawRecords[K] | undefined,
) => Body;

/** The main detail becomes `value`, the others stay: Pipedrive replaces the whole list. */
function withDetail(before: readonly ContactDetail[] = [], value: string | null): Body[] {
  const main = mainDetail(before);
  const details: { value: string | null; primary: boolean | null; label: string | null }[] = [...before];
  details.splice(Math.max(main, 0), 1, { primary: true, label: before[main]?.label ?? null, value });
  return details
    .filter((detail) => detail.value !== null)
    .map(({ label, primary, ...detail }) => ({
      ...detail,
      primary: primary === true,
      ...(label && { label }),
    }));
}

const idOf = (id: string | null | undefined) => (id == null ? undefined : toNumber(id));

/** Members that are undefined are not sent: those that the change does not have, and nulls where Pipedrive has none. */
export const bodies: { [K in WritableKind]: ToBody<K> } = {
  lead: ({ name, email, phone, position, owner, custom }, fields, before) => ({
    name: name ?? undefined,
    emails: email === undefined ? undefined : withDetail(before?.emails, email),
    phones: phone === undefined ? undefined : withDetail(before?.phones, phone),
    job_title: position,
    owner_id: idOf(owner),
    custom_fields: custom && fields.raw(custom, before?.custom_fields ?? {}, null),
  }),
  deal: ({ name, value, currency, stage, status, custom, contact, ...change }, fields, before) => ({
    title: name ?? undefined,
    value: value === null ? 0 : value,
    currency: currency ?? undefined,
    stage_id: idOf(stage),
    status,
    // Pipedrive accepts a reason only for lost deals.
    lost_reason: (status ?? 'lost') === 'lost' ? change.lossReason : undefined,
    owner_id: idOf(change.owner),
    person_id: contact === null ? null : idOf(contact),
    expected_close_date: change.expectedCloseDate,
    custom_fields: custom && fields.raw(custom, before?.custom_fields ?? {}, currency ?? before?.currency),
  }),
};

/** Whether a body depends on the record as it is. */
export const needsBefore = (change: Change<'lead'> | Change<'deal'>, fields: CustomFields): boolean =>
  'email' in change || 'phone' in change || Object.keys(change.custom ?? {}).some(fields.isMoney);

/** See `CrmConnection.findCreated`. */
export async function findPersons(client: PipedriveClient, { email }: Change<'lead'>): Promise<string[]> {
  if (!email) return [];
  const query = { term: email, fields: 'email', exact_match: true };
  const found = await client.read(foundSchema, paths.personSearch, query, searchPace);
  const ids = found.items.map(({ item }) => item.id);
  const persons = await client.byIds(personSchema, paths.lead, ids);
  const hasAddress = ({ value }: ContactDetail) => value?.toLowerCase() === email.trim().toLowerCase();
  const same = persons.filter((person) => !person.is_deleted && person.emails.some(hasAddress));
  return same.map(({ id }) => id).sort((one, other) => Number(one) - Number(other));
}

/** See `CrmConnection.findCreated`. Lists instead of searching: the index of Pipedrive's search may lag behind. */
export async function findDeals(
  client: PipedriveClient,
  { name, value }: Change<'deal'>,
  since: string,
): Promise<string[]> {
  const fromMs = Date.parse(since) - CLOCK_TOLERANCE_MS;
  const untilMs = Date.parse(since) + CREATED_WITHIN_MS + CLOCK_TOLERANCE_MS;
  const isSame = (deal: Deal): boolean => {
    const createdMs = Date.parse(deal.add_time ?? '');
    const isInTime = createdMs >= fromMs && createdMs <= untilMs && !deal.is_deleted;
    return isInTime && deal.title === (name?.trim() ?? null) && (deal.value ?? 0) === (value ?? 0);
  };
  const changes = changesOf(client, dealSchema, [paths.deal]);
  const position = { since: new Date(fromMs).toISOString() };
  const found: string[] = [];
  let page: ListPage<Deal> = { items: [], next: null };
  do {
    page = await listChanges(changes, { ...position, cursor: page.next });
    found.push(...page.items.filter(isSame).map(({ id }) => id));
  } while (page.next !== null);
  return found;
}
