// The adapter of HubSpot: contacts are leads; calls, meetings, emails and tasks are activities.
import { z } from 'zod';
import { listChanges } from '../changes.ts';
import type {
  ConnectOptions,
  Crm,
  CrmConnection,
  CrmRecords,
  CrmStage,
  ListOptions,
  RecordKind,
} from '../crm.ts';
import { CrmRecordGone, CrmUnreachable } from '../errors.ts';
import { inspectAccount, readStages } from './account.ts';
import { activityId, toActivities } from './activities.ts';
import { createHubSpotClient } from './client.ts';
import { dealConverter, dealWriter } from './deals.ts';
import { ACTIVITY_OBJECTS, type ObjectName } from './facts.ts';
import { createFields } from './fields.ts';
import type { Account, ToRecords, Writers } from './kinds.ts';
import { leadConverter, leadWriter } from './leads.ts';
import { rowChanges } from './listing.ts';
import { idSchema, readRows } from './rows.ts';
import { webhookSetup } from './webhook-setup.ts';
import { isGenuine, readHints } from './webhooks.ts';

export const hubspotCrm: Crm = { connect, isGenuine, readHints };

const createdSchema = z.object({ id: idSchema });
const objects = { lead: ['contacts'], deal: ['deals'], activity: ACTIVITY_OBJECTS } as const;

function connect(options: ConnectOptions): CrmConnection {
  const { customKeys, activityTypes, credentials } = options;
  const client = createHubSpotClient(options);
  let stages: CrmStage[] | undefined;
  const account: Account = {
    client,
    fields: createFields(client, customKeys),
    async stages() {
      stages ??= await readStages(client);
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

  async function list<K extends RecordKind>(kind: K, page: ListOptions) {
    const names: readonly ObjectName[] = objects[kind];
    const listed = names.filter((name) => kind !== 'activity' || activityTypes.includes(name));
    const { items, next } = await listChanges(rowChanges(client, listed, properties[kind]), page);
    return { records: await converters[kind](items), next };
  }

  async function read<K extends RecordKind>(kind: K, ids: readonly string[]) {
    const records: CrmRecords[K][] = [];
    for (const object of objects[kind]) {
      const prefix = kind === 'activity' ? activityId(object, '') : '';
      const own = ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
      const rows = await readRows(client, object, own, properties[kind]);
      records.push(...(await converters[kind](rows)));
    }
    return records;
  }

  return {
    inspect: () => inspectAccount(client),
    list,
    read,
    async update(kind, id, change) {
      const { object, prepareUpdate } = writers[kind];
      const changed = await prepareUpdate(id, change);
      const path = `${client.paths.records(object)}/${id}`;
      if (Object.keys(changed).length)
        await client.write(z.unknown(), 'PATCH', path, { properties: changed });
      const [record] = await afterWrite(read(kind, [id]));
      if (!record) throw new CrmRecordGone('HubSpot has no such record.');
      return record;
    },
    async create(kind, values) {
      const { object, prepareCreate } = writers[kind];
      const path = client.paths.records(object);
      const { id } = await client.write(createdSchema, 'POST', path, await prepareCreate(values));
      const [record] = await afterWrite(read(kind, [id]));
      if (!record) throw new CrmUnreachable('HubSpot does not return the record that it created.');
      return record;
    },
    findCreated: (kind, values, since) => writers[kind].findCreated(values, Date.parse(since)),
    // No API makes webhooks for one account, and a service key can have none.
    ensureWebhooks: async ({ url }) =>
      credentials.service_key
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
