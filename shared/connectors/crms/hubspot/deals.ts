// Deals. They are won and lost by moving them to a closed stage of their pipeline.
import { z } from 'zod';
import type { CrmDeal, CrmStage, DealSearch, DealValues, FoundDeal } from '../crm.ts';
import { CrmRecordGone, CrmRejected } from '../errors.ts';
import type { HubSpotClient } from './client.ts';
import { DEAL_TO_CONTACT } from './facts.ts';
import type { Account, Properties, Writable } from './kinds.ts';
import { contactsOfDeals, type Filter, type Row, readRows, searchRows, toIso } from './rows.ts';

export const createDeals = (account: Account): Writable<'deal'> => ({
  objects: ['deals'],
  toRecords: (rows) => toDeals(account, rows),
  async prepareUpdate(id, change) {
    const { status, contact, expectedCloseDate } = change;
    const needsCurrent = [status, contact, expectedCloseDate].some((value) => value !== undefined);
    const rows = needsCurrent ? await readRows(account.client, 'deals', [id], []) : [];
    const [current] = await toDeals(account, rows);
    if (needsCurrent && !current) throw new CrmRecordGone('HubSpot has no such deal.');
    const properties = await propertiesOf(account, change, current);
    if (current && contact !== undefined) await relink(account, current, contact);
    return properties;
  },
  async prepareCreate(values) {
    const first = (await account.stages()).find(({ closes }) => closes === null);
    // HubSpot's boards do not show deals without a stage.
    const { contact, stage = first?.id ?? null } = values;
    const properties = await propertiesOf(account, { ...values, stage });
    return { properties, associations: contact ? [{ to: { id: contact }, types: [DEAL_TO_CONTACT] }] : [] };
  },
});

/** See `CrmConnection.findDeals`. */
export async function findDeals(client: HubSpotClient, search: DealSearch): Promise<FoundDeal[]> {
  const filters: Filter[] = [
    ['dealname', 'EQ', search.name],
    ['createdate', 'GTE', Date.parse(search.from)],
    ['createdate', 'LTE', Date.parse(search.until)],
  ];
  const { rows } = await searchRows(client, 'deals', { filters, sortBy: 'createdate', properties: [] });
  return rows.map((row) => ({ id: row.id, name: row.property('dealname'), value: amountOf(row) }));
}

async function toDeals(account: Account, rows: Row[]): Promise<CrmDeal[]> {
  if (!rows.length) return [];
  const ids = rows.map(({ id }) => id);
  const contacts = await contactsOfDeals(account.client, ids);
  const deals: CrmDeal[] = [];
  for (const row of rows) deals.push(await toDeal(account, row, contacts.get(row.id) ?? null));
  return deals;
}

async function toDeal(account: Account, row: Row, contact: string | null): Promise<CrmDeal> {
  const { id, updatedAt, property } = row;
  const [stages, fields] = [await account.stages(), await account.fields('deal')];
  const stage = property('dealstage');
  const status = stages.find((known) => known.id === stage)?.closes ?? 'open';
  const closeTime = toIso(property('closedate'));
  const values: DealValues = {
    name: property('dealname'),
    value: amountOf(row),
    currency: property('deal_currency_code'),
    stage: status === 'open' ? stage : null,
    status,
    owner: property('hubspot_owner_id'),
    contact,
    // In a closed deal this is the time when it was closed.
    ...(status === 'open' && { expectedCloseDate: closeTime && (await account.dayOf(closeTime)) }),
    lossReason: status === 'lost' ? property('closed_lost_reason') : null,
    custom: fields.toValues(row.properties),
  };
  return {
    id,
    updatedAt,
    values,
    pipeline: property('pipeline'),
    closedAt: status === 'open' ? null : closeTime,
  };
}

const amountOf = ({ property }: Row): number | null =>
  property('amount') === null ? null : Number(property('amount'));

/** `current` is undefined for a new deal. */
async function propertiesOf(
  account: Account,
  change: Partial<DealValues>,
  current?: CrmDeal,
): Promise<Properties> {
  const { name, value, currency, owner, expectedCloseDate, lossReason, custom } = change;
  const status = change.status ?? current?.values.status ?? 'open';
  return {
    ...(name !== undefined && { dealname: name ?? '' }),
    ...(value !== undefined && { amount: value === null ? '' : String(value) }),
    ...(currency !== undefined && { deal_currency_code: currency ?? '' }),
    ...stageProperties(change, current, await account.stages()),
    ...(owner !== undefined && { hubspot_owner_id: owner ?? '' }),
    // In a closed deal this is the time when it was closed.
    ...(expectedCloseDate !== undefined && status === 'open' && { closedate: timeOn(expectedCloseDate) }),
    ...(lossReason !== undefined && { closed_lost_reason: lossReason ?? '' }),
    ...(custom && (await account.fields('deal')).fromValues(custom)),
  };
}

/** 10:00 in UTC is the same day from Hawaii to New Zealand. */
const timeOn = (day: string | null): string => (day === null ? '' : `${day}T10:00:00.000Z`);

function stageProperties(
  { status, stage }: Partial<DealValues>,
  current: CrmDeal | undefined,
  stages: CrmStage[],
): Properties {
  const given = stages.find(({ id }) => id === stage);
  if (status === 'won' || status === 'lost') {
    if (current?.values.status === status) return {};
    const pipeline = given?.pipeline ?? current?.pipeline ?? stages[0]?.pipeline;
    const closed = stages.find((known) => known.pipeline === pipeline && known.closes === status);
    if (!closed) throw new CrmRejected(`HubSpot: the deal's pipeline has no stage for ${status} deals.`);
    return { pipeline: closed.pipeline, dealstage: closed.id };
  }
  if (stage) return { ...(given && { pipeline: given.pipeline }), dealstage: stage };
  if (status === 'open' && current && current.values.status !== 'open')
    throw new CrmRejected('HubSpot: a closed deal is opened only by moving it to an open stage.');
  return {};
}

/** Links the contact in place of the first one. Other contacts of the deal stay. */
async function relink({ client }: Account, { id, values }: CrmDeal, contact: string | null): Promise<void> {
  const former = values.contact;
  if (former === contact) return;
  if (contact) {
    const linking = client.write(z.unknown(), 'PUT', client.paths.linkContact(id, contact), undefined);
    await linking.catch((error: unknown) => {
      // Else the deal would seem to be gone.
      throw error instanceof CrmRecordGone ? new CrmRejected('HubSpot has no such contact.') : error;
    });
  }
  if (former) await client.remove(client.paths.unlinkContact(id, former));
}
