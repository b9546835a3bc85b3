// The adapter of RD Station CRM.
import type {
  ConnectOptions,
  Crm,
  CrmConnection,
  CrmRecords,
  CrmStage,
  Inspection,
  InspectionOrder,
  RecordKind,
} from '../crm.ts';
import { CrmRecordGone, CrmUnreachable, readWritten } from '../errors.ts';
import { usersWithAddress } from '../wire.ts';
import { authorization, createRdClient, type RdClient } from './client.ts';
import { accountId, DONE, LISTS, rdqlTime, TASK, TASK_TYPES } from './facts.ts';
import { readListPage } from './listing.ts';
import { activities, createWritables, type Kind, type Rows, totalOf } from './records.ts';
import { accountUserSchema, contactSchema, dealSchema, orderedSchema } from './schemas.ts';
import { createRdWebhooks, isGenuine, readHints } from './webhooks.ts';

/** Requests for names of organizations that a page may need, which take up to 10 s. A page that needs more ends early. */
const MAX_NAME_REQUESTS = 10;
/** Values that cannot be written without the record as it is. */
const NEEDING_CURRENT: readonly string[] = ['email', 'phone', 'value', 'contact', 'custom'];

const pathOf = (kind: RecordKind, id: string) => `${LISTS[kind].path}/${encodeURIComponent(id)}`;

function connect(options: ConnectOptions): CrmConnection {
  const client = createRdClient(options);
  const writable = createWritables(client, options);
  const kinds: { [K in RecordKind]: Kind<K> } = { ...writable, activity: activities };
  const readRow = <K extends RecordKind>(kind: K, id: string) =>
    client.find(kinds[kind].schema, pathOf(kind, id));

  async function toRecord<K extends RecordKind>(kind: K, row: Rows[K] | undefined): Promise<CrmRecords[K]> {
    const [record] = row === undefined ? [] : await kinds[kind].toRecords([row], MAX_NAME_REQUESTS);
    if (record === undefined) throw new CrmRecordGone('The record is not in RD Station CRM.');
    return record;
  }

  return {
    inspect: (order) => inspect(client, order),
    async list(kind, position) {
      const conditions = kind === 'activity' ? doneTasks(options.activityTypes) : [];
      if (conditions === undefined) return { records: [], next: null };
      const { schema, toRecords } = kinds[kind];
      const { rows, nextAfter } = await readListPage(client, { kind, schema, conditions }, position);
      const records = await toRecords(rows, MAX_NAME_REQUESTS);
      const isListed = (record: (typeof records)[number]) =>
        !('isDone' in record) || (record.isDone && options.activityTypes.includes(record.type));
      return { records: records.filter(isListed), next: nextAfter(records.length) };
    },
    // One by one: filtered lists may come from an index that does not have the record yet, and what is absent counts as deleted.
    async read(kind, ids) {
      const found = [];
      for (const id of ids) found.push(await readRow(kind, id));
      const rows = found.filter((row) => row !== undefined);
      return await kinds[kind].toRecords(rows, ids.length + 1);
    },
    async update(kind, id, change) {
      const { schema, toData } = writable[kind];
      const needsCurrent = Object.keys(change).some((name) => NEEDING_CURRENT.includes(name));
      const data = await toData(change, needsCurrent ? await readRow(kind, id) : undefined);
      const isEmpty = JSON.stringify(data) === '{}';
      const written = () => client.write(schema, 'PUT', pathOf(kind, id), data);
      return await toRecord(kind, await (isEmpty ? readRow(kind, id) : written()));
    },
    async create(kind, values) {
      const { schema, toData } = writable[kind];
      // Deals are created as open, and then updated.
      const { status, lost_reason_id, ...data } = await toData(values);
      const row = await client.write(schema, 'POST', LISTS[kind].path, data);
      return await readWritten('RD Station CRM', toRecord(kind, row));
    },
    ...createSearches(client),
    ...createRdWebhooks(client, options.log),
  };
}

/** RDQL for done tasks of these types of activities; undefined if none of them is a type of task. */
function doneTasks(activityTypes: readonly string[]): string[] | undefined {
  const types = activityTypes.filter((type) => type.startsWith(TASK)).map((type) => type.slice(TASK.length));
  return types.length === 0 ? undefined : [`status:${DONE}`, `type:(${types.join(',')})`];
}

const createSearches = (client: RdClient): Pick<CrmConnection, 'findLeads' | 'findDeals'> => ({
  async findLeads(address) {
    // A quotation mark would end the text in the filter.
    if (address.includes('"')) return [];
    const contacts = await client.readAll(contactSchema, '/contacts', { filter: `email:"${address}"` });
    const isSame = ({ email }: { email: string | null }) => email?.toLowerCase() === address;
    return contacts.flatMap(({ id, emails }) => (emails.some(isSame) ? [id] : []));
  },
  /** Without a filter for the name, which may contain what filters cannot. */
  async findDeals({ from, until }) {
    const filter = `created_at:>=${rdqlTime(from)} created_at:<=${rdqlTime(until)}`;
    const deals = await client.readAll(dealSchema, '/deals', { filter });
    return deals.map((deal) => ({ id: deal.id, name: deal.name, value: totalOf(deal) }));
  },
});

const byOrder = (one: { order: number | null }, other: { order: number | null }) =>
  (one.order ?? 0) - (other.order ?? 0);

async function inspect(client: RdClient, order?: InspectionOrder): Promise<Inspection> {
  const users = await client.readAll(accountUserSchema, '/users');
  const vendorId = accountId(users);
  if (vendorId === undefined) throw new CrmUnreachable('RD Station CRM GET /users: no users');
  await order?.claim(vendorId);
  const stages: CrmStage[] = [];
  const pipelines = (await client.readAll(orderedSchema, '/pipelines')).sort(byOrder);
  const unread = pipelines.filter((pipeline) => !order?.readPipelines.includes(pipeline.id));
  let isPartial = false;
  for (const { id: pipeline, name: pipelineName } of unread) {
    isPartial = order?.hasTime() === false;
    if (isPartial) break;
    const path = `/pipelines/${encodeURIComponent(pipeline)}/stages`;
    // Won and lost are states of a deal, not stages.
    for (const { id, name } of (await client.readAll(orderedSchema, path)).sort(byOrder))
      stages.push({ id, name: name ?? '', pipeline, pipelineName: pipelineName ?? '', closes: null });
  }
  const activityTypes = TASK_TYPES.map((type) => TASK + type);
  return { vendorId, users: usersWithAddress(users), stages, activityTypes, isPartial };
}

export const rdStationCrm: Crm = { connect, isGenuine, readHints, authorization };
