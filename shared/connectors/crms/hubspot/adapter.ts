// The adapter of HubSpot: contacts are leads; calls, meetings, emails and tasks are activities.
import { z } from 'zod';
import { listChanges } from '../changes.ts';
import type { ConnectOptions, Crm, CrmConnection, CrmRecords, CrmStage, RecordKind } from '../crm.ts';
import { CrmRecordGone, CrmUnreachable, readWritten } from '../errors.ts';
import { id } from '../wire.ts';
import { createDays, inspectAccount, readStages } from './account.ts';
import { activities, activityId } from './activities.ts';
import { createHubSpotClient } from './client.ts';
import { createDeals, findDeals } from './deals.ts';
import { createFields } from './fields.ts';
import type { Account, Kind, Writables } from './kinds.ts';
import { createLeads } from './leads.ts';
import { contactsWith, readRows, rowChanges } from './rows.ts';
import { webhookSetup } from './webhook-setup.ts';
import { isGenuine, readHints } from './webhooks.ts';

export const hubspotCrm: Crm = { connect, isGenuine, readHints };

const createdSchema = z.object({ id });

function connect(options: ConnectOptions): CrmConnection {
  const { customKeys, activityTypes, credentials } = options;
  const client = createHubSpotClient(options);
  let stages: CrmStage[] | undefined;
  const account: Account = {
    ...{ client, fields: createFields(client, customKeys), dayOf: createDays(client) },
    async stages() {
      stages ??= await readStages(client);
      return stages;
    },
  };
  const writable: Writables = { lead: createLeads(account), deal: createDeals(account) };
  const kinds: { [K in RecordKind]: Kind<K> } = { ...writable, activity: activities };
  const properties = { ...customKeys, activity: [] };

  async function read<K extends RecordKind>(kind: K, ids: readonly string[]) {
    const records: CrmRecords[K][] = [];
    for (const object of kinds[kind].objects) {
      const prefix = kind === 'activity' ? activityId(object, '') : '';
      const own = ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
      const rows = await readRows(client, object, own, properties[kind]);
      records.push(...(await kinds[kind].toRecords(rows)));
    }
    return records;
  }

  /** The record after a write. */
  async function readBack<K extends RecordKind>(kind: K, id: string, missing: Error) {
    const [record] = await readWritten('HubSpot', read(kind, [id]));
    if (!record) throw missing;
    return record;
  }

  return {
    inspect: (order) => inspectAccount(client, order),
    async list(kind, page) {
      const { objects, toRecords } = kinds[kind];
      const listed = objects.filter((name) => kind !== 'activity' || activityTypes.includes(name));
      const { items, next } = await listChanges(rowChanges(client, listed, properties[kind]), page);
      return { records: await toRecords(items), next };
    },
    read,
    async update(kind, id, change) {
      const { objects, prepareUpdate } = writable[kind];
      const changed = await prepareUpdate(id, change);
      const path = `${client.paths.records(objects[0])}/${id}`;
      if (Object.keys(changed).length)
        await client.write(z.unknown(), 'PATCH', path, { properties: changed });
      return await readBack(kind, id, new CrmRecordGone('HubSpot has no such record.'));
    },
    async create(kind, values) {
      const { objects, prepareCreate } = writable[kind];
      const path = client.paths.records(objects[0]);
      const { id } = await client.write(createdSchema, 'POST', path, await prepareCreate(values));
      const missing = new CrmUnreachable('HubSpot does not return the record that it created.');
      return await readBack(kind, id, missing);
    },
    findLeads: (email) => contactsWith(client, email),
    findDeals: (search) => findDeals(client, search),
    // No API makes webhooks for one account, and a service key can have none.
    ensureWebhooks: async ({ url }) =>
      credentials.service_key
        ? { state: 'polling', reference: null }
        : { state: 'by_hand', reference: null, setup: webhookSetup(url, customKeys) },
    removeWebhooks: async () => {},
  };
}
