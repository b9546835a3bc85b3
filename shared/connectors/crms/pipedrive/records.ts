// Where Pipedrive has the records of each kind, and what they are for Placar.
import type { z } from 'zod';
import type { Changes } from '../changes.ts';
import type { Query } from '../client.ts';
import type { CrmActivity, CrmDeal, CrmLead, CrmRecords, RecordKind, WritableKind } from '../crm.ts';
import type { PipedriveClient } from './client.ts';
import { byChange, paths, toFilterTime } from './facts.ts';
import type { Fields } from './fields.ts';
import * as wire from './wire.ts';

export interface RawRecords {
  lead: wire.Person;
  deal: wire.Deal;
  activity: wire.Activity;
}

export interface Kind<K extends RecordKind> {
  item: z.ZodType<RawRecords[K]>;
  path: string;
  /** What the lists with these paths contain together. */
  changes: Changes<RawRecords[K], string>;
  /** Without deleted ones. */
  toRecords(raws: readonly RawRecords[K][]): Promise<CrmRecords[K][]>;
}
export type Kinds = { [K in RecordKind]: Kind<K> };

export function createKinds(
  client: PipedriveClient,
  fieldsOf: (kind: WritableKind) => Promise<Fields>,
): Kinds {
  /** Names of organizations, by id. */
  async function companiesOf(persons: readonly wire.Person[]) {
    const ids = new Set(persons.flatMap(({ org_id: id }) => id ?? []));
    const found = await client.byIds(wire.namedSchema, paths.organizations, ids);
    return new Map(found.map(({ id, name }) => [id, name]));
  }
  return {
    lead: {
      ...{ item: wire.personSchema, path: paths.lead },
      changes: changesOf(client, wire.personSchema, [paths.lead]),
      async toRecords(raws) {
        const persons = raws.filter((person) => !person.is_deleted);
        const [fields, companies] = [await fieldsOf('lead'), await companiesOf(persons)];
        return persons.map((person) => toLead(person, fields, companies.get(person.org_id ?? '') ?? null));
      },
    },
    deal: {
      ...{ item: wire.dealSchema, path: paths.deal },
      changes: changesOf(client, wire.dealSchema, [paths.deal, paths.archivedDeals]),
      async toRecords(raws) {
        const fields = await fieldsOf('deal');
        const deals = raws.filter((deal) => !deal.is_deleted && deal.status !== 'deleted');
        return deals.map((deal) => toDeal(deal, fields));
      },
    },
    activity: {
      ...{ item: wire.activitySchema, path: paths.activity },
      changes: changesOf(client, wire.activitySchema, [paths.activity], { done: true }),
      toRecords: async (raws) => raws.filter((activity) => !activity.is_deleted).map(toActivity),
    },
  };
}

/** What changed in some lists. */
export const changesOf = <T extends Pick<Times, 'update_time'>>(
  client: PipedriveClient,
  item: z.ZodType<T>,
  lists: readonly string[],
  filter: Query = {},
): Changes<T, string> => ({
  groups: [lists],
  resolutionMs: 1000,
  changedAt: ({ update_time: time }) => time,
  read: (path, since, cursor) =>
    client.list(item, path, {
      ...{ ...filter, ...byChange },
      updated_since: since && toFilterTime(since),
      cursor: cursor || null,
    }),
});

interface Times {
  update_time: string | null;
  add_time: string | null;
}

const changedAt = (record: Times): string =>
  record.update_time ?? record.add_time ?? new Date(0).toISOString();

const toLead = (person: wire.Person, fields: Fields, company: string | null): CrmLead => ({
  id: person.id,
  updatedAt: changedAt(person),
  values: {
    name: person.name,
    email: person.emails[0]?.value?.toLowerCase() ?? null,
    phone: person.phones[0]?.value ?? null,
    company,
    position: person.job_title,
    owner: person.owner_id,
    custom: fields.toValues(person.custom_fields),
  },
});

function toDeal(deal: wire.Deal, fields: Fields): CrmDeal {
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
      custom: fields.toValues(deal.custom_fields),
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
