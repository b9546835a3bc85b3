// Where Pipedrive has the records of each kind, and what they are for Placar.
import type { z } from 'zod';
import type {
  ConnectOptions,
  CrmActivity,
  CrmDeal,
  CrmLead,
  CrmRecords,
  RecordKind,
  WritableKind,
} from '../crm.ts';
import type { PipedriveClient, Query } from './client.ts';
import { paths } from './facts.ts';
import { CustomFields } from './fields.ts';
import * as wire from './wire.ts';

export interface RawRecords {
  lead: wire.Person;
  deal: wire.Deal;
  activity: wire.Activity;
}

/** Definitions of custom fields that a connection has read. */
export type KnownFields = Map<WritableKind, CustomFields>;

export interface Kind<K extends RecordKind> {
  item: z.ZodType<RawRecords[K]>;
  path: string;
  /** Lists that together contain all records that Placar lists. */
  lists: readonly string[];
  filter: Query;
  /** Without deleted ones. */
  toRecords(raws: readonly RawRecords[K][]): Promise<CrmRecords[K][]>;
}
export type Kinds = { [K in RecordKind]: Kind<K> };

/** Reads definitions only once, and only if fields are mapped. */
export async function fieldsOf(
  kind: WritableKind,
  client: PipedriveClient,
  { customKeys }: Pick<ConnectOptions, 'customKeys'>,
  known: KnownFields,
): Promise<CustomFields> {
  const keys = customKeys[kind];
  const read = async () => (keys.length ? await client.listAll(wire.fieldSchema, paths.fields[kind]) : []);
  const fields = known.get(kind) ?? new CustomFields(keys, await read());
  known.set(kind, fields);
  return fields;
}

export function createKinds(
  client: PipedriveClient,
  fieldsOfKind: (kind: WritableKind) => Promise<CustomFields>,
): Kinds {
  /** Names of organizations, by id. */
  async function companiesOf(persons: readonly wire.Person[]) {
    const ids = new Set(persons.flatMap(({ org_id: id }) => id ?? []));
    const found = await client.byIds(wire.namedSchema, paths.organizations, ids);
    return new Map(found.map(({ id, name }) => [id, name]));
  }
  return {
    lead: {
      ...{ item: wire.personSchema, path: paths.lead, lists: [paths.lead], filter: {} },
      async toRecords(raws) {
        const persons = raws.filter((person) => !person.is_deleted);
        const [fields, companies] = [await fieldsOfKind('lead'), await companiesOf(persons)];
        return persons.map((person) => toLead(person, fields, companies.get(person.org_id ?? '') ?? null));
      },
    },
    deal: {
      ...{ item: wire.dealSchema, path: paths.deal, lists: [paths.deal, paths.archivedDeals], filter: {} },
      async toRecords(raws) {
        const fields = await fieldsOfKind('deal');
        const deals = raws.filter((deal) => !deal.is_deleted && deal.status !== 'deleted');
        return deals.map((deal) => toDeal(deal, fields));
      },
    },
    activity: {
      ...{ item: wire.activitySchema, path: paths.activity, lists: [paths.activity], filter: { done: true } },
      toRecords: async (raws) => raws.filter((activity) => !activity.is_deleted).map(toActivity),
    },
  };
}

interface Times {
  update_time: string | null;
  add_time: string | null;
}

const changedAt = (record: Times): string =>
  record.update_time ?? record.add_time ?? new Date(0).toISOString();

/** Position of the detail that Pipedrive shows first; -1 if there is none. */
export function mainDetail(details: readonly wire.ContactDetail[]): number {
  const primary = details.findIndex((detail) => detail.primary);
  return primary < 0 && details.length ? 0 : primary;
}

const toLead = (person: wire.Person, fields: CustomFields, company: string | null): CrmLead => ({
  id: person.id,
  updatedAt: changedAt(person),
  values: {
    name: person.name,
    email: person.emails[mainDetail(person.emails)]?.value?.toLowerCase() ?? null,
    phone: person.phones[mainDetail(person.phones)]?.value ?? null,
    company,
    position: person.job_title,
    owner: person.owner_id,
    custom: fields.values(person.custom_fields),
  },
});

function toDeal(deal: wire.Deal, fields: CustomFields): CrmDeal {
  const status = deal.status === 'won' || deal.status === 'lost' ? deal.status : 'open';
  const closedAt = (status === 'won' ? deal.won_time : deal.lost_time) ?? deal.close_time;
  return {
    id: deal.id,
    updatedAt: changedAt(deal),
    values: {
      name: deal.title,
      value: deal.value,
      currency: deal.currency,
      stage: deal.stage_id,
      status,
      owner: deal.owner_id,
      contact: deal.person_id,
      expectedCloseDate: deal.expected_close_date?.slice(0, 10) ?? null,
      lossReason: status === 'lost' ? deal.lost_reason : null,
      custom: fields.values(deal.custom_fields),
    },
    pipeline: deal.pipeline_id,
    closedAt: status === 'open' ? null : closedAt,
  };
}

const toActivity = (activity: wire.Activity): CrmActivity => ({
  id: activity.id,
  updatedAt: changedAt(activity),
  type: activity.type ?? '',
  number: activity.id,
  isDone: activity.done === true,
  doneAt: activity.done ? activity.marked_as_done_time : null,
  owner: activity.owner_id,
});
