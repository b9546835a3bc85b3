// A connected HubSpot account.
import { z } from 'zod';
import type { ConnectOptions, CrmConnection, CrmRecords, CrmStage, ListOptions, RecordKind } from '../crm.ts';
import { CrmRecordGone, CrmUnreachable } from '../errors.ts';
import { inspectAccount, readStages } from './account.ts';
import { activityId, toActivities } from './activities.ts';
import { createHubSpotClient, parseAs } from './client.ts';
import { dealConverter, dealWriter } from './deals.ts';
import { ACTIVITY_OBJECTS, type ObjectName } from './facts.ts';
import { createFields } from './fields.ts';
import type { Account, ToRecords, Writers } from './kinds.ts';
import { leadConverter, leadWriter } from './leads.ts';
import { listRows } from './listing.ts';
import { idSchema, readRows } from './rows.ts';
import { webhookSetup } from './webhook-setup.ts';

const createdSchema = z.object({ id: idSchema });
const objects = { lead: ['contacts'], deal: ['deals'], activity: ACTIVITY_OBJECTS } as const;

export function connect({ customKeys, activityTypes, ...options }: ConnectOptions): CrmConnection {
  const client = createHubSpotClient(options);
  let stages: CrmStage[] | undefined;
  const account: Account = {
    client,
    fields: createFields(client, customKeys),
    async stages(signal) {
      stages ??= await readStages(client, signal);
      return stages;
    },
  };
  const converters: { [K in RecordKind]: ToRecords<K> } = {
    lead: leadConverter(account),
    deal: dealConverter(account),
    activity: toActivities,
  };
  const writers: Writers = { lead: leadWriter(account), deal: dealWriter(account) };
  const properties = { ...customKeys, activity: [] };

  async function list<K extends RecordKind>(kind: K, page: ListOptions, signal: AbortSignal) {
    const names: readonly ObjectName[] = objects[kind];
    const listed = names.filter((name) => kind !== 'activity' || activityTypes.includes(name));
    const { object, rows, next } = await listRows(client, listed, properties[kind], page, signal);
    return { records: object ? await converters[kind](rows, object, signal) : [], next };
  }

  async function read<K extends RecordKind>(kind: K, ids: readonly string[], signal: AbortSignal) {
    const records: CrmRecords[K][] = [];
    for (const object of objects[kind]) {
      const prefix = kind === 'activity' ? activityId(object, '') : '';
      const own = ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
      const rows = await readRows(client, object, own, properties[kind], signal);
      records.push(...(await converters[kind](rows, object, signal)));
    }
    return records;
  }

  return {
    inspect: (signal) => inspectAccount(client, signal),
    list,
    read,
    async update(kind, id, change, signal) {
      const { object, prepareUpdate } = writers[kind];
      const changed = await prepareUpdate(id, change, signal);
      const path = `${client.paths.records(object)}/${id}`;
      if (Object.keys(changed).length) await client.write('PATCH', path, signal, { properties: changed });
      const [record] = await afterWrite(read(kind, [id], signal));
      if (!record) throw new CrmRecordGone('HubSpot has no such record.');
      return record;
    },
    async create(kind, values, signal) {
      const { object, prepareCreate } = writers[kind];
      const path = client.paths.records(object);
      const created = await client.write('POST', path, signal, await prepareCreate(values, signal));
      const { id } = parseAs(createdSchema, created, path);
      const [record] = await afterWrite(read(kind, [id], signal));
      if (!record) throw new CrmUnreachable('HubSpot does not return the record that it created.');
      return record;
    },
    findCreated: (kind, values, since, signal) =>
      writers[kind].findCreated(values, Date.parse(since), signal),
    // No API makes webhooks for one account, and a service key can have none.
    ensureWebhooks: async ({ url }) =>
      options.credentials.service_key
        ? { state: 'polling', reference: null }
        : { state: 'by_hand', reference: null, setup: webhookSetup(url, customKeys) },
    removeWebhooks: async () => {},
  };
}

/** Other errors would say that nothing was done. */
async function afterWrite<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new CrmUnreachable('HubSpot: the record was written, but could not be read', { cause: error });
  }
}
