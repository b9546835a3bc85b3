// The adapter of RD Station CRM.
import { z } from 'zod';
import type {
  ConnectOptions,
  Crm,
  CrmConnection,
  CrmRecords,
  CrmStage,
  DealSearch,
  FoundDeal,
  Inspection,
  InspectionProgress,
  ListOptions,
  Page,
  RecordKind,
} from '../crm.ts';
import { CrmRecordGone, CrmUnreachable, readWritten } from '../errors.ts';
import { named, usersWithAddress } from '../wire.ts';
import { authorization, createRdClient, type RdClient } from './client.ts';
import { accountId, DONE, LISTS, rdqlTime, TASK, TASK_TYPES } from './facts.ts';
import { readListPage } from './listing.ts';
import { createRecords, totalOf } from './records.ts';
import { accountUserSchema, contactSchema, dealSchema } from './schemas.ts';
import { ensureWebhooks, isGenuine, readHints, removeWebhooks } from './webhooks.ts';

/** Requests for names of organizations that a page may need, which take up to 10 s. A page that needs more ends early. */
const MAX_NAME_REQUESTS = 10;
/** Values that cannot be written without the record as it is. */
const NEEDING_CURRENT: readonly string[] = ['email', 'phone', 'value', 'contact', 'custom'];

const pathOf = (kind: RecordKind, id: string) => `${LISTS[kind].path}/${encodeURIComponent(id)}`;

function connect(options: ConnectOptions): CrmConnection {
  const client = createRdClient(options);
  const { readers, writers } = createRecords(client, options);

  async function toRecord<K extends RecordKind>(kind: K, row: unknown): Promise<CrmRecords[K]> {
    const [record] = row === undefined ? [] : await readers[kind]([row], MAX_NAME_REQUESTS);
    if (record === undefined) throw new CrmRecordGone('The record is not in RD Station CRM.');
    return record;
  }
  const readRow = (kind: RecordKind, id: string) => client.find(z.unknown(), pathOf(kind, id));

  return {
    inspect: (progress) => inspect(client, progress),
    async list<K extends RecordKind>(kind: K, listOptions: ListOptions): Promise<Page<CrmRecords[K]>> {
      const conditions = kind === 'activity' ? doneTasks(options.activityTypes) : [];
      if (conditions === undefined) return { records: [], next: null };
      const { rows, nextAfter } = await readListPage(client, kind, conditions, listOptions);
      const raws = rows.map(({ raw }) => raw);
      const records = await readers[kind](raws, MAX_NAME_REQUESTS);
      const isListed = (record: (typeof records)[number]) =>
        !('isDone' in record) || (record.isDone && options.activityTypes.includes(record.type));
      return { records: records.filter(isListed), next: nextAfter(records.length) };
    },
    // One by one: filtered lists may come from an index that does not have the record yet, and what is absent counts as deleted.
    async read(kind, ids) {
      const rows = [];
      for (const id of ids) rows.push(await readRow(kind, id));
      const found = rows.filter((row) => row !== undefined);
      return await readers[kind](found, found.length + 1);
    },
    async update(kind, id, change) {
      const needsCurrent = Object.keys(change).some((name) => NEEDING_CURRENT.includes(name));
      const current = needsCurrent ? await readRow(kind, id) : undefined;
      const data = await writers[kind](change, current);
      const isEmpty = Object.keys(data).length === 0;
      const row = isEmpty
        ? await readRow(kind, id)
        : await client.write(z.unknown(), 'PUT', pathOf(kind, id), data);
      return await toRecord(kind, row);
    },
    async create(kind, values) {
      // Deals are created as open, and then updated.
      const { status, lost_reason_id, ...data } = await writers[kind](values, undefined);
      const row = await client.write(z.unknown(), 'POST', LISTS[kind].path, data);
      return await readWritten('RD Station CRM', toRecord(kind, row));
    },
    findLeads: (email) => findContacts(client, email),
    findDeals: (search) => findDeals(client, search),
    ensureWebhooks: (order) => ensureWebhooks(client, order, options.log),
    removeWebhooks: (order) => removeWebhooks(client, order),
  };
}

/** RDQL for done tasks of these types of activities; undefined if none of them is a type of task. */
function doneTasks(activityTypes: readonly string[]): string[] | undefined {
  const types = activityTypes.filter((type) => type.startsWith(TASK)).map((type) => type.slice(TASK.length));
  return types.length === 0 ? undefined : [`status:${DONE}`, `type:(${types.join(',')})`];
}

async function findContacts(client: RdClient, address: string): Promise<string[]> {
  // A quotation mark would end the text in the filter.
  if (address.includes('"')) return [];
  const query = { filter: `email:"${address}"`, 'sort[created_at]': 'desc' };
  const contacts = await client.readAll(contactSchema, '/contacts', query);
  const found = contacts.filter(({ emails }) => emails.some(({ email }) => email?.toLowerCase() === address));
  return found.map(({ id }) => id);
}

/** Without a filter for the name, which may contain what filters cannot. */
async function findDeals(client: RdClient, { from, until }: DealSearch): Promise<FoundDeal[]> {
  const filter = `created_at:>=${rdqlTime(from)} created_at:<=${rdqlTime(until)}`;
  const deals = await client.readAll(dealSchema, '/deals', { filter, 'sort[created_at]': 'asc' });
  return deals.map((deal) => ({ id: deal.id, name: deal.name, value: totalOf(deal) }));
}

const IN_ORDER = { 'sort[order]': 'asc' };

async function inspect(client: RdClient, progress?: InspectionProgress): Promise<Inspection> {
  const users = await client.readAll(accountUserSchema, '/users');
  const vendorId = accountId(users);
  if (vendorId === undefined) throw new CrmUnreachable('RD Station CRM GET /users: no users');
  const stages: CrmStage[] = [];
  const pipelines = await client.readAll(named, '/pipelines', IN_ORDER);
  const unread = pipelines.filter((pipeline) => !progress?.readPipelines.includes(pipeline.id));
  let isPartial = false;
  for (const { id, name } of unread) {
    isPartial = progress?.hasTime() === false;
    if (isPartial) break;
    const path = `/pipelines/${encodeURIComponent(id)}/stages`;
    const pipeline = { pipeline: id, pipelineName: name ?? '' };
    // Won and lost are states of a deal, not stages.
    for (const stage of await client.readAll(named, path, IN_ORDER))
      stages.push({ id: stage.id, name: stage.name ?? '', ...pipeline, closes: null });
  }
  return {
    vendorId,
    users: usersWithAddress(users),
    stages,
    activityTypes: TASK_TYPES.map((type) => TASK + type),
    isPartial,
  };
}

export const rdStationCrm: Crm = { connect, isGenuine, readHints, authorization };
