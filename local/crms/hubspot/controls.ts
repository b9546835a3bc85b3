/** Controls of the fake of HubSpot: people, administrators and app developers. */
import { randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { COMPANY, type CompanyOrder, crmControls, emptyAccount } from '../account.ts';
import { addWebhook } from '../frame.ts';
import { rowOf } from '../records.ts';
import * as hub from './records.ts';
import { type Account, type Kind, type Portal, records, shown } from './records.ts';

/** To each pipeline, two closed stages are added. */
export interface AccountOrder extends CompanyOrder {
  /** Whether the token is a service key, which has no webhooks. */
  isServiceKey?: boolean;
  options?: Partial<hub.Options>;
}

/** What is used here of the file `webhooks-hsmeta.json`. HubSpot checks it; here, what it does not know never happens. */
interface Meta {
  config: { settings: { targetUrl: string }; subscriptions: { crmObjects: Account['subscriptions'] } };
}

export function controls(kit: FakeKit<Account>, desk: (id: string) => Portal) {
  const newId = () => String(kit.nextNumber());
  const stage = (label: string, isClosed: 'true' | 'false', probability: string) => ({
    ...{ id: newId(), label, metadata: { isClosed, probability } },
  });
  return {
    ...crmControls(desk, records, (row, kind) => shown(row, kind)),
    createAccount({ isServiceKey = false, ...order }: AccountOrder = {}) {
      const [id, token] = [String(40_000_000 + kit.nextNumber()), `pat-na1-${randomUUID()}`];
      const clientSecret = isServiceKey ? null : randomUUID();
      const { users, pipelines, options } = { ...COMPANY, ...order };
      kit.state.accounts[id] = {
        ...emptyAccount(id, hub.kinds, { ...hub.DEFAULTS, ...options }),
        ...{ token, clientSecret, subscriptions: [], pending: [], added: {} },
        owners: users.map(({ name, email }) => {
          const [firstName = '', ...rest] = name.split(' ');
          return { id: newId(), email, firstName, lastName: rest.join(' '), archived: false };
        }),
        pipelines: pipelines.map(({ name, stages }) => {
          const open = stages.map((label) => stage(label, 'false', '0.5'));
          const closed = [stage('Negócio fechado', 'true', '1.0'), stage('Negócio perdido', 'true', '0.0')];
          return { id: newId(), label: name, stages: [...open, ...closed] };
        }),
      };
      return { id, token, clientSecret };
    },
    associate: (id: string, _from: 'deals', deal: string, _to: 'contacts', contact: string) =>
      hub.link(desk(id), deal, contact, true),
    /** Merges as a person does. With `isNew`, the hub.merge makes a new object. Returns the object that remains. */
    merge: (id: string, kind: Kind, primary: string, merged: string, isNew = false) =>
      shown(hub.merge(desk(id), kind, primary, merged, isNew), kind),
    /** Marks a task as done or undone. */
    setDone(id: string, task: string, done: boolean) {
      const change = { hs_task_status: done ? 'COMPLETED' : 'NOT_STARTED' };
      return shown(records(desk(id)).change('tasks', task, change), 'tasks');
    },
    addProperty(id: string, kind: Kind, { name, type }: { name: string; type: string }) {
      const { added } = desk(id).account;
      added[kind] = { ...added[kind], [name]: type };
    },
    /** Configures webhooks as a person does who uploads the file. @param meta its content, as text or parsed */
    configureWebhooks(id: string, meta: string | Meta) {
      const { account } = desk(id);
      if (account.clientSecret === null) throw hub.invalid('a service key has no webhooks');
      const { config }: Meta = typeof meta === 'string' ? JSON.parse(meta) : meta;
      Object.assign(account, { webhooks: [], subscriptions: config.subscriptions.crmObjects });
      addWebhook(desk(id), 'app', { url: config.settings.targetUrl });
    },
    /** Archives an owner, as a person does who removes a user. */
    archiveOwner: (id: string, owner: string) =>
      void Object.assign(rowOf(desk(id).account.owners, owner, hub.missing), { archived: true }),
  };
}
