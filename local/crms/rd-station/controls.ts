/** Controls of the fake of RD Station CRM: people and administrators. */
import { randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { accountControls, COMPANY, type CompanyOrder, recordControls, webhookControls } from '../shared.ts';
import { grant } from './oauth.ts';
import { type Desk, newId } from './records.ts';
import { type Account, LISTS, type Options } from './state.ts';

export interface AccountOrder extends CompanyOrder {
  lostReasons?: string[];
  options?: Partial<Options>;
}

const DEFAULTS: Options = { requestsPerMinute: 120, webhookBody: 'document', agrees: true };

export function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  return {
    ...recordControls(desk),
    ...accountControls(desk),
    ...webhookControls(desk),
    /** Returns the credentials of an app, with a refresh token of a person who agreed. */
    createAccount(order: AccountOrder = {}) {
      const empty = () =>
        Object.fromEntries(Object.keys(LISTS).map((kind) => [kind, []])) as unknown as Account['rows'];
      const [id, clientId, clientSecret] = [newId(), randomUUID(), randomUUID().replaceAll('-', '')];
      kit.state.accounts[id] = {
        ...{ id, clientId, clientSecret, options: { ...DEFAULTS, ...order.options }, codes: [], grants: [] },
        ...{ rows: empty(), bin: empty(), webhooks: [] },
      };
      const { create, account } = desk(id);
      const { users, pipelines } = { ...COMPANY, ...order };
      for (const user of users) create('users', user);
      for (const name of order.lostReasons ?? ['Preço', 'Sem retorno']) create('lost_reasons', { name });
      for (const { name, stages } of pipelines) {
        const pipeline = create('pipelines', { name, order: 1 });
        for (const [index, stage] of stages.entries())
          create('stages', { name: stage, order: index + 1, pipeline_id: pipeline.id });
      }
      return { id, clientId, clientSecret, refreshToken: grant({ kit, account }).refresh };
    },
    merge: (id: string, winner: string, loser: string) => desk(id).merge(winner, loser),
    /** Marks a task as done or undone. */
    setDone: (id: string, task: string, done: boolean) =>
      desk(id).change('tasks', task, { status: done ? 'completed' : 'open' }),
    /** Ends all tokens, as a person does who uninstalls the app. */
    revoke(id: string) {
      desk(id).account.grants = [];
    },
  };
}
