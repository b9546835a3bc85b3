/** Controls of the fake of Pipedrive: people, administrators and other programs. */
import { randomBytes } from 'node:crypto';
import { accountControls, COMPANY, type CompanyOrder, recordControls, webhookControls } from '../shared.ts';
import type { Desk } from './records.ts';
import { type Account, type Field, type Kind, type Options, type PipedriveRow, SINGULAR } from './state.ts';

export interface AccountOrder extends CompanyOrder {
  domain?: string;
  options?: Partial<Options>;
}

const DEFAULTS: Options = { burst: 20, daily: 30_000, deletedReads: 'marked', contactSync: true };

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function createControls(desk: (id: string) => Desk, open: (account: Account) => Desk) {
  return {
    ...recordControls(desk),
    ...accountControls(desk),
    ...webhookControls(desk),
    createAccount(order: AccountOrder = {}) {
      const apiToken = randomBytes(20).toString('hex');
      const domain = order.domain ?? `empresa-${apiToken.slice(0, 6)}`;
      const id = String(10_000_000 + Number.parseInt(apiToken.slice(0, 5), 16));
      const kinds = Object.keys(SINGULAR).map((kind): [string, PipedriveRow[]] => [kind, []]);
      // Object.fromEntries forgets the names of its members.
      const rows = Object.fromEntries(kinds) as Account['rows'];
      const { create } = open({
        ...{ id, domain, apiToken, rows, options: { ...DEFAULTS, ...order.options }, webhooks: [] },
        ...{ used: { day: '', tokens: 0 }, fields: { deals: [], persons: [] } },
      });
      const { users, pipelines } = { ...COMPANY, ...order };
      for (const user of users) create('users', { ...user, active_flag: true });
      for (const { name, stages } of pipelines) {
        const pipeline = create('pipelines', { name, order_nr: 0 });
        for (const [order_nr, stage] of stages.entries())
          create('stages', { name: stage, pipeline_id: pipeline.id, order_nr, deal_probability: 100 });
      }
      return { id, domain, apiToken };
    },
    merge: (id: string, kind: 'persons' | 'deals' | 'organizations', winner: number, loser: number) =>
      desk(id).merge(kind, winner, loser),
    /** Marks an activity as done or undone. */
    setDone: (id: string, activity: number, done: boolean) =>
      desk(id).change('activities', activity, { done }),
    /** Adds a custom field. Returns it with its key and the ids of its options. */
    addField(
      id: string,
      kind: Kind & keyof Account['fields'],
      order: Pick<Field, 'name' | 'type'>,
      labels: string[] = [],
    ): Field {
      const { account, kit } = desk(id);
      const options = labels.map((label) => ({ id: kit.nextNumber(), label }));
      const field = { ...order, key: randomBytes(20).toString('hex'), options };
      account.fields[kind].push(field);
      return field;
    },
    /** Uses up tokens of the day's budget, as other programs do. Default: all. */
    useBudget(id: string, tokens?: number) {
      const { account, kit } = desk(id);
      account.used = { day: dayOf(kit.clock.now()), tokens: tokens ?? account.options.daily };
    },
    /** Replaces the token, as a person does. Returns the new one. */
    replaceToken(id: string): string {
      const { account } = desk(id);
      account.apiToken = randomBytes(20).toString('hex');
      return account.apiToken;
    },
  };
}
