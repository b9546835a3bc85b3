// Users, leads and deals in all stages of the pipeline.
import { type Placar, PlacarError } from '../../clients/typescript/src/index.ts';
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

export async function createDemoRecords(placar: Placar): Promise<void> {
  const known = await placar.leads.list().toArray(1);
  if (known.length > 0) return;
  const owners = await inviteUsers(placar);
  await createLeads(placar, owners);
  await createDeals(placar, owners);
  // A rejected request for the request log.
  await placar.leads.create({ name: '', email: 'nobody' }).catch(isRefusal);
}

async function inviteUsers(placar: Placar): Promise<string[]> {
  for (const { name, email } of people.slice(1, 6))
    await placar.users.create({ name, email, role: 'sales_rep' }).catch(isRefusal);
  const users = await placar.users.list().toArray();
  return users.map(({ id }) => id);
}

async function createLeads(placar: Placar, owners: string[]): Promise<void> {
  for (const [index, [company, source]] of COMPANIES.entries()) {
    const name = pick(CONTACTS, index);
    const lead = await placar.leads.create({
      name,
      email: `${mailbox(name)}.${index}@shop.example`,
      company,
      source,
      owner_id: pick(owners, index),
    });
    const status = pick(STATUSES, index);
    if (index % 5 === 4) await placar.leads.convert(lead.id, { deal_value: 4000 + index * 900 });
    else if (status !== 'new') await placar.leads.update(lead.id, { status });
  }
}

async function createDeals(placar: Placar, owners: string[]): Promise<void> {
  const stages = await placar.stages.list();
  for (let index = 0; index < DEALS; index++) {
    const [company] = pick(COMPANIES, index * 5);
    const deal = await placar.deals.create({
      name: `${pick(OFFERS, index)}, ${company}`,
      company,
      value: 1800 + ((index * 7919) % 26_000),
      owner_id: pick(owners, index),
      priority: pick(PRIORITIES, index),
    });
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
}

/** Ignores conflicts with existing records and intended rejections. */
function isRefusal(error: unknown): void {
  if (!(error instanceof PlacarError)) throw error;
}
