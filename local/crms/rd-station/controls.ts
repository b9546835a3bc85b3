/** Controls of the fake of RD Station CRM: people and administrators. */
import { randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { addCompany, type CompanyOrder, crmControls, emptyAccount } from '../account.ts';
import { grant } from './oauth.ts';
import { newId, records } from './records.ts';
import { type Account, type App, kinds, type Options } from './state.ts';

export interface AccountOrder extends CompanyOrder {
  lostReasons?: string[];
  options?: Partial<Options>;
}

const DEFAULTS: Options = {
  requestsPerMinute: 120,
  webhookBody: 'document',
  listsByChange: false,
  agrees: true,
};

export function controls(kit: FakeKit<Account>, desk: (id: string) => App) {
  return {
    ...crmControls(desk, records, (row) => row),
    /** Returns the credentials of an app, with a refresh token of a person who agreed. */
    createAccount(order: AccountOrder = {}) {
      const [id, clientId, clientSecret] = [newId(), randomUUID(), randomUUID()];
      kit.state.accounts[id] = {
        ...emptyAccount(id, kinds, { ...DEFAULTS, ...order.options }),
        ...{ clientId, clientSecret, codes: [], grants: [] },
      };
      const all = records(desk(id));
      addCompany(all, order, 'order');
      for (const name of order.lostReasons ?? ['Preço', 'Sem retorno']) all.create('lost_reasons', { name });
      return { id, clientId, clientSecret, refreshToken: grant(desk(id)).refresh };
    },
    /** Merges contacts as a person does. Nothing is sent. */
    merge: (id: string, winner: string, loser: string) =>
      records(desk(id)).merge('contacts', winner, loser, 'contact_ids'),
    /** Marks a task as done or undone. */
    setDone: (id: string, task: string, done: boolean) =>
      records(desk(id)).change('tasks', task, { status: done ? 'completed' : 'open' }),
    /** Ends the access tokens before their time. Refresh tokens stay good. */
    endAccess(id: string) {
      for (const each of desk(id).account.grants) each.accessUntilMs = 0;
    },
    /** Ends all tokens, as a person does who uninstalls the app. */
    revoke(id: string) {
      desk(id).account.grants = [];
    },
  };
}
