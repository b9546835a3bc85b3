// The adapter of Pipedrive.
import { listChanges } from '../changes.ts';
import type {
  ConnectOptions,
  Crm,
  CrmConnection,
  CrmRecords,
  Inspection,
  InspectionOrder,
  WritableKind,
} from '../crm.ts';
import { CrmRecordGone } from '../errors.ts';
import { listOf, usersWithAddress } from '../wire.ts';
import { createPipedriveClient, type PipedriveClient } from './client.ts';
import { AT_ONCE, paths } from './facts.ts';
import { createFields } from './fields.ts';
import { createKinds, type RawRecords } from './records.ts';
import { createPipedriveWebhooks, isGenuine, readHints } from './webhooks.ts';
import * as wire from './wire.ts';
import { bodies, findDeals, findPersons, needsBefore } from './writes.ts';

export const pipedriveCrm: Crm = { connect, isGenuine, readHints };

function connect(options: ConnectOptions): CrmConnection {
  const client = createPipedriveClient(options);
  const fieldsOf = createFields(client, options.customKeys);
  const kinds = createKinds(client, fieldsOf);

  /** The record that a write returned. */
  async function recordOf<K extends WritableKind>(kind: K, raws: RawRecords[K][]): Promise<CrmRecords[K]> {
    const [record] = await kinds[kind].toRecords(raws);
    if (!record) throw new CrmRecordGone('Pipedrive: the record is deleted');
    return record;
  }

  return {
    inspect: (order) => inspect(client, options.credentials.domain ?? '', order),
    async list(kind, position) {
      if (kind === 'activity' && !options.activityTypes.length) return { records: [], next: null };
      const { items, next } = await listChanges(kinds[kind].changes, position);
      const records = await kinds[kind].toRecords(items);
      const isMapped = (record: (typeof records)[number]) =>
        !('type' in record) || options.activityTypes.includes(record.type);
      return { records: records.filter(isMapped), next };
    },
    async read(kind, ids) {
      const { item, path, toRecords } = kinds[kind];
      const found = await client.byIds(item, path, ids);
      // Lists leave archived deals out, and what is absent counts as deleted.
      const left = ids.length > 1 ? ids.filter((id) => !found.some((record) => record.id === id)) : [];
      for (let at = 0; at < left.length; at += AT_ONCE) {
        const some = left.slice(at, at + AT_ONCE).map((id) => client.byIds(item, path, [id]));
        found.push(...(await Promise.all(some)).flat());
      }
      return await toRecords(found);
    },
    async update(kind, id, change) {
      const { item, path } = kinds[kind];
      const custom = await fieldsOf(kind);
      const before = needsBefore(change, custom) ? await client.byIds(item, path, [id]) : undefined;
      if (before) await recordOf(kind, before);
      const body = bodies[kind](change, custom, before?.[0]);
      // Such as a change to no owner.
      const isEmpty = JSON.stringify(body) === '{}';
      const write = async () => [await client.save(item, 'PATCH', `${path}/${encodeURIComponent(id)}`, body)];
      return await recordOf(kind, await (isEmpty ? client.byIds(item, path, [id]) : write()));
    },
    async create(kind, values) {
      const { item, path } = kinds[kind];
      const body = bodies[kind](values, await fieldsOf(kind), undefined);
      return await recordOf(kind, [await client.save(item, 'POST', path, body)]);
    },
    findLeads: (email) => findPersons(client, email),
    findDeals: (search) => findDeals(client, search),
    ...createPipedriveWebhooks(client, options.log),
  };
}

async function inspect(
  client: PipedriveClient,
  domain: string,
  order?: InspectionOrder,
): Promise<Inspection> {
  const me = await client.findData(wire.meSchema, paths.me);
  // A domain is of one company, which can have another one later.
  const vendorId = me?.company_id ?? domain;
  await order?.claim(vendorId);
  const users = await client.read(listOf(wire.pipedriveUserSchema), paths.users);
  const types = await client.findData(listOf(wire.activityTypeSchema), paths.activityTypes);
  const pipelines = await client.listAll(wire.namedSchema, paths.pipelines);
  const names = new Map(pipelines.filter((each) => !each.is_deleted).map(({ id, name }) => [id, name ?? id]));
  const stages = await client.listAll(wire.stageSchema, paths.stages);
  stages.sort((one, other) => (one.order_nr ?? 0) - (other.order_nr ?? 0));
  return {
    vendorId,
    // Of several with an address, those who are active come first.
    users: usersWithAddress(
      [...users].sort((one, other) => Number(other.active_flag) - Number(one.active_flag)),
    ),
    stages: stages.flatMap(({ id, name, pipeline_id: pipeline, is_deleted: isDeleted }) => {
      const pipelineName = names.get(pipeline);
      if (isDeleted || pipelineName === undefined) return [];
      return [{ id, name: name ?? id, pipeline, pipelineName, closes: null }];
    }),
    activityTypes: (types ?? []).map(({ key_string: type }) => type),
  };
}
