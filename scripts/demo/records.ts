// Users, leads and deals in all stages of the pipeline.
import { ConflictError, type Placar, PlacarError } from '../../clients/typescript/src/index.ts';
import type { Made } from './create-demo-data.ts';
import { mailbox, people } from './people.ts';

const COMPANIES = [
  ['Padaria Central', 'website'],
  ['Clínica Boa Vista', 'referral'],
  ['Mercado Sol', 'event'],
  ['Construtora Ipê', 'website'],
  ['Escola Horizonte', 'referral'],
  ['Hotel Mirante', 'cold call'],
  ['Oficina Dois Irmãos', 'website'],
  ['Vinícola Serra', 'event'],
  ['Studio Cinco', 'website'],
  ['Transportes Aurora', 'referral'],
  ['Farmácia Vida', 'cold call'],
  ['Café do Porto', 'event'],
] as const;

const CONTACTS = ['Nina Reis', 'Otávio Cruz', 'Paula Mendes', 'Rafael Teles', 'Sofia Brito', 'Tiago Melo'];
const OFFERS = ['Annual plan', 'Pilot', 'Onboarding', 'Renewal', 'Extra seats'];
const STATUSES = ['contacted', 'qualified', 'unqualified', 'new'] as const;
const PRIORITIES = ['low', 'medium', 'high'] as const;
const DEALS = 18;

const pick = <T>(list: readonly [T, ...T[]] | readonly T[], index: number): T => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('The list is empty.');
  return found;
};

/** Creates the records that do not exist. The others stay as they are. */
export async function createDemoRecords(placar: Placar): Promise<Made> {
  const invited = await inviteUsers(placar);
  const owners = (await placar.users.list().toArray()).map(({ id }) => id);
  const leads = await createLeads(placar, owners);
  const deals = await createDeals(placar, owners);
  // A rejected request for the request log.
  await placar.leads.create({ name: '', email: 'nobody' }).catch(isRejection);
  return { users: invited, leads, deals };
}

async function inviteUsers(placar: Placar): Promise<number> {
  const invited = people.slice(1, 6).map(({ name, email }) => ({ name, email, role: 'sales_rep' as const }));
  let count = 0;
  for (const user of invited) if (await unlessThere(placar.users.create(user))) count += 1;
  return count;
}

async function createLeads(placar: Placar, owners: string[]): Promise<number> {
  let count = 0;
  for (const [index, [company, source]] of COMPANIES.entries()) {
    const name = pick(CONTACTS, index);
    const lead = await unlessThere(
      placar.leads.create({
        name,
        email: `${mailbox(name)}.${index}@shop.example`,
        external_id: `demo-${index}`,
        company,
        source,
        owner_id: pick(owners, index),
      }),
    );
    if (!lead) continue;
    count += 1;
    const status = pick(STATUSES, index);
    if (index % 5 === 4) await placar.leads.convert(lead.id, { deal_value: 4000 + index * 900 });
    else if (status !== 'new') await placar.leads.update(lead.id, { status });
  }
  return count;
}

async function createDeals(placar: Placar, owners: string[]): Promise<number> {
  const stages = await placar.stages.list();
  let count = 0;
  for (let index = 0; index < DEALS; index++) {
    const [company] = pick(COMPANIES, index * 5);
    const deal = await unlessThere(
      placar.deals.create({
        name: `${pick(OFFERS, index)}, ${company}`,
        external_id: `demo-${index}`,
        company,
        value: 1800 + ((index * 7919) % 26_000),
        owner_id: pick(owners, index),
        priority: pick(PRIORITIES, index),
      }),
    );
    if (!deal) continue;
    count += 1;
    const { id: stageId } = pick(stages, index);
    if (stageId !== deal.stage.id) await placar.deals.move(deal.id, { stage_id: stageId });
    await placar.deals.createActivity(deal.id, {
      type: index % 2 === 0 ? 'call' : 'meeting',
      title: 'First call',
    });
    if (index % 4 === 3) await placar.deals.close(deal.id, { result: 'won' });
    else if (index % 7 === 5)
      await placar.deals.close(deal.id, { result: 'lost', loss_reason: 'No budget this year' });
  }
  return count;
}

/** Undefined if the record exists. */
async function unlessThere<T>(created: Promise<T>): Promise<T | undefined> {
  try {
    return await created;
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
}

/** Ignores the rejection of an invalid request. */
function isRejection(error: unknown): void {
  if (!(error instanceof PlacarError)) throw error;
}
