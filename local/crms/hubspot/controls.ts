/** Controls of the fake of HubSpot: people, administrators and app developers. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { accountControls, COMPANY, type CompanyOrder, recordControls, rowOf } from '../shared.ts';
import { missing } from './errors.ts';
import type { Desk } from './objects.ts';
import { type Account, type Kind, kinds, type Options, type Pipeline, propertiesOf } from './state.ts';
import { configure } from './webhooks.ts';

/** To each pipeline, two closed stages are added. */
export interface AccountOrder extends CompanyOrder {
  /** Whether the token is a service key, which has no webhooks. */
  isServiceKey?: boolean;
  options?: Partial<Options>;
}

const DEFAULTS: Options = { per10Seconds: 100, perDay: 250_000, searchesPerSecond: 4, searchLagMs: 0 };
const kindsOf = <T>(value: (kind: Kind) => T) =>
  Object.fromEntries(kinds.map((kind) => [kind, value(kind)])) as Record<Kind, T>;

function pipelineOf(kit: FakeKit<Account>, label: string, stages: string[]): Pipeline {
  const stage = (name: string, isClosed: boolean, probability: number) => ({
    ...{ id: String(kit.nextNumber()), label: name },
    metadata: { isClosed: String(isClosed), probability: probability.toFixed(1) },
  });
  const open = stages.map((name, index) => stage(name, false, Math.min((index + 1) / 10, 0.9)));
  const closed = [stage('Negócio fechado', true, 1), stage('Negócio perdido', true, 0)];
  return { id: String(kit.nextNumber()), label, stages: [...open, ...closed] };
}

export function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  return {
    ...recordControls(desk),
    ...accountControls(desk),
    createAccount({ isServiceKey = false, ...order }: AccountOrder = {}) {
      const id = String(40_000_000 + kit.nextNumber());
      const token = `pat-na1-${randomUUID()}`;
      const clientSecret = isServiceKey ? null : randomUUID();
      const { users, pipelines, options } = { ...COMPANY, ...order };
      const owners = users.map(({ name, email }) => {
        const [firstName = '', ...rest] = name.split(' ');
        return { id: String(kit.nextNumber()), email, firstName, lastName: rest.join(' '), archived: false };
      });
      kit.state.accounts[id] = {
        ...{ id, token, clientSecret, owners, app: null, associations: [], pending: [] },
        ...{ options: { ...DEFAULTS, ...options }, used: { day: '', requests: 0 } },
        pipelines: pipelines.map(({ name, stages }) => pipelineOf(kit, name, stages)),
        ...{ objects: kindsOf(() => []), properties: kindsOf(propertiesOf) },
      };
      return { id, token, clientSecret };
    },
    associate: (id: string, from: Kind, fromId: string, to: Kind, toId: string) =>
      desk(id).associate(from, fromId, to, toId),
    /** Merges as a person does. With `isNew`, the merge makes a new object. Returns the object that remains. */
    merge: (id: string, kind: Kind, primary: string, merged: string, isNew = false) =>
      desk(id).merge(kind, primary, merged, isNew),
    /** Marks a task as done or undone. */
    setDone: (id: string, task: string, done: boolean) =>
      desk(id).change('tasks', task, { hs_task_status: done ? 'COMPLETED' : 'NOT_STARTED' }),
    /** Adds a property, of an enumeration if there are options. */
    addProperty(
      id: string,
      kind: Kind,
      { name, type, options = [] }: { name: string; type: string; options?: string[] },
    ) {
      const values = options.map((label, index) => ({ label, value: `option_${index}` }));
      desk(id).account.properties[kind].push({ name, label: name, type, options: values, readOnly: false });
    },
    /** Configures webhooks as a person does who uploads the file `webhooks-hsmeta.json`: its content. */
    configureWebhooks: (id: string, meta: unknown) => configure(desk(id), meta),
    webhooks: (id: string) => desk(id).account.app?.subscriptions ?? [],
    /** Removes the app's webhooks without notice. */
    dropWebhooks(id: string) {
      desk(id).account.app = null;
    },
    /** Archives an owner, as a person does who removes a user. */
    archiveOwner(id: string, owner: string) {
      rowOf(desk(id).account.owners, owner, missing).archived = true;
    },
    /** Replaces the token. Returns the new one. */
    replaceToken(id: string): string {
      desk(id).account.token = `pat-na1-${randomBytes(8).toString('hex')}`;
      return desk(id).account.token;
    },
  };
}
