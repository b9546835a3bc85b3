/** Accounts of CRMs' fakes: how they begin, and the controls that each of them has. */
import { partsOf } from '../fakes/fake.ts';
import {
  type CrmAccount,
  type CrmRecord,
  type Desk,
  type Records,
  recordControls,
  type Webhook,
} from './records.ts';

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Controls that the fake of each CRM has. */
export const crmControls = <
  Kind extends string,
  R extends CrmRecord,
  A extends CrmAccount<Kind, R, object>,
  S,
>(
  desk: (id: string) => Desk<A>,
  records: (desk: Desk<A>) => Records<Kind, R>,
  shown: (row: R, kind: Kind) => S,
) => ({
  ...recordControls((id) => records(desk(id)), shown),
  /** The data of an account, or only these members of it. */
  account: (id: string, ...parts: (keyof A)[]): A => partsOf(desk(id).account, parts),
  setOptions: (id: string, options: Partial<A['options']>): void =>
    void Object.assign(desk(id).account.options, options),
  webhooks: (id: string): Webhook[] => desk(id).account.webhooks,
  /** Removes webhooks, all by default, without notice. */
  dropWebhooks(id: string, webhook?: string): void {
    const { account } = desk(id);
    account.webhooks = account.webhooks.filter((one) => webhook !== undefined && one.id !== webhook);
  },
});

export interface CompanyOrder {
  users?: { name: string; email: string }[];
  /** Default: one pipeline with five stages. */
  pipelines?: { name: string; stages: string[] }[];
}

/** The people and pipelines of an account that is created without. */
export const COMPANY: Required<CompanyOrder> = {
  users: [{ name: 'Administração Geral', email: 'admin@crm.example' }],
  pipelines: [
    {
      name: 'Funil de vendas',
      stages: ['Prospecção', 'Qualificação', 'Proposta enviada', 'Negociação', 'Contrato enviado'],
    },
  ],
};

/** An account without records. */
export function emptyAccount<Kind extends string, R extends CrmRecord, O extends object>(
  id: string,
  kinds: readonly Kind[],
  options: O,
): CrmAccount<Kind, R, O> {
  // Object.fromEntries forgets the names of its members.
  const empty = () => Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Record<Kind, R[]>;
  return { id, options, used: { day: '', amount: 0 }, rows: empty(), bin: empty(), webhooks: [] };
}

/** Adds users, pipelines and stages as records. Stages have their place in the member `place`. */
export function addCompany<R extends CrmRecord>(
  { create }: Records<'users' | 'pipelines' | 'stages', R>,
  order: CompanyOrder,
  place: string,
): void {
  const { users, pipelines } = { ...COMPANY, ...order };
  for (const user of users) create('users', user, true);
  for (const { name, stages } of pipelines) {
    const { id } = create('pipelines', { name, [place]: 1 }, true);
    for (const [index, stage] of stages.entries())
      create('stages', { name: stage, pipeline_id: id, [place]: index + 1 }, true);
  }
}
