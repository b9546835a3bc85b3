// Writes of persons and deals.
import { listChanges } from '../changes.ts';
import type { CrmValues, DealSearch, FoundDeal, WritableKind } from '../crm.ts';
import type { ListPage, PipedriveClient } from './client.ts';
import { paths, searchPace } from './facts.ts';
import { type Fields, isMoney, rawFields } from './fields.ts';
import { changesOf, type RawRecords } from './records.ts';
import { type ContactDetail, type Deal, dealSchema, foundSchema, personSchema, toNumber } from './wire.ts';

type Body = Record<string, unknown>;
type Change<K extends WritableKind> = Partial<CrmValues[K]>;
type ToBody<K extends WritableKind> = (
  change: Change<K>,
  fields: Fields,
  before: RawRecords[K] | undefined,
) => Body;

/** The first detail becomes `value`, the others stay: Pipedrive replaces the whole list. */
function withDetail([first, ...others]: readonly ContactDetail[] = [], value: string | null): Body[] {
  const { label = null, primary = true } = first ?? {};
  const details = value === null ? others : [{ value, label, primary }, ...others];
  return details.map((detail) => ({
    ...{ value: detail.value, primary: detail.primary === true },
    ...(detail.label && { label: detail.label }),
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
    custom_fields: custom && rawFields(fields, custom, before?.custom_fields),
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
    custom_fields: custom && rawFields(fields, custom, before?.custom_fields, currency ?? before?.currency),
  }),
};

/** Whether a body depends on the record as it is. */
export const needsBefore = (change: Change<'lead'> | Change<'deal'>, fields: Fields): boolean =>
  'email' in change ||
  'phone' in change ||
  Object.keys(change.custom ?? {}).some((key) => isMoney(fields, key));

/** See `CrmConnection.findLeads`. */
export async function findPersons(client: PipedriveClient, email: string): Promise<string[]> {
  const query = { term: email, fields: 'email', exact_match: true };
  const found = await client.read(foundSchema, paths.personSearch, query, searchPace);
  const ids = found.items.map(({ item }) => item.id);
  const persons = await client.byIds(personSchema, paths.lead, ids);
  const hasAddress = ({ value }: ContactDetail) => value?.toLowerCase() === email;
  const same = persons.filter((person) => !person.is_deleted && person.emails.some(hasAddress));
  return same.map(({ id }) => id).sort((one, other) => Number(one) - Number(other));
}

/** See `CrmConnection.findDeals`. Lists instead of searching: the index of Pipedrive's search may lag behind. */
export async function findDeals(client: PipedriveClient, { from, until }: DealSearch): Promise<FoundDeal[]> {
  const changes = changesOf(client, dealSchema, [paths.deal]);
  const found: FoundDeal[] = [];
  let page: ListPage<Deal> = { items: [], next: null };
  do {
    page = await listChanges(changes, { since: from, cursor: page.next });
    for (const { id, title: name, value, add_time, is_deleted } of page.items)
      if (add_time && add_time >= from && add_time <= until && !is_deleted) found.push({ id, name, value });
  } while (page.next !== null);
  return found;
}
