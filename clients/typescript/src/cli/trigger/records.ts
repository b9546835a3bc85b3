// Triggers for lead, deal and user events.
import { wait } from '../../core/wait.ts';
import { CliError } from '../exit-codes.ts';
import { newEmail, RECORDS, type Trigger, type TriggerContext, type Triggered, unique } from './context.ts';

const newName = (): string => `placar trigger ${unique()}`;

const leadOf = ({ placar, signal }: TriggerContext) =>
  placar.leads.create({ name: newName(), email: newEmail() }, { signal });
const dealOf = ({ placar, signal }: TriggerContext) =>
  placar.deals.create({ name: newName(), value: 1250.5 }, { signal });
const userOf = ({ placar, signal }: TriggerContext) =>
  placar.users.create({ name: newName(), email: newEmail(), role: 'sales_rep' }, { signal });

type Context = TriggerContext;

/** A trigger that creates a record and then changes it. */
const changing = (
  does: string,
  make: (context: Context) => Promise<{ id: string }>,
  change: (context: Context, id: string) => Promise<unknown> = async () => {},
): Trigger => ({
  does,
  needs: RECORDS,
  async run(context) {
    const { id } = await make(context);
    await change(context, id);
    return { id };
  },
});

/** The same for a user, who counts toward the plan's limit and is removed afterwards. */
const withUser = (
  does: string,
  change: (context: Context, id: string, email: string) => Promise<unknown>,
): Trigger => ({
  does: `${does}; the user is removed afterwards`,
  needs: RECORDS,
  async run(context): Promise<Triggered> {
    const { id, email } = await userOf(context);
    const tidy = () => context.placar.users.delete(id, { permanent: true });
    await change(context, id, email);
    return { id, tidy };
  },
});

async function moveToAnotherStage({ placar, signal }: Context, id: string): Promise<void> {
  const { stage } = await placar.deals.get(id, { signal });
  const other = (await placar.stages.list({ signal })).find((one) => one.id !== stage?.id);
  if (!other) throw new CliError('The pipeline has only one stage, so the deal cannot be moved.');
  await placar.deals.move(id, { stage_id: other.id }, { signal });
}

/** Opens the link of the invitation email, which a local stack lists. Elsewhere the user is activated by SQL. */
async function accept(context: Context, id: string, email: string): Promise<void> {
  const { settings, signal } = context;
  if (settings.mailUrl === undefined) {
    const sql = await context.database();
    await sql`update public.users set status = 'active' where id = ${id}`;
    return;
  }
  for (;;) {
    const response = await fetch(settings.mailUrl, { signal });
    // The format in which the local stack lists its emails.
    const mails = (await response.json()) as { to: string[]; links: string[] }[];
    const link = mails.find(({ to }) => to.includes(email))?.links[0];
    if (link !== undefined) return void (await fetch(link, { redirect: 'manual', signal }));
    await wait(200, signal);
  }
}

export const recordTriggers: Record<string, Trigger> = {
  'lead.created': changing('creates a lead', leadOf),
  'lead.updated': changing('creates a lead and changes its company', leadOf, ({ placar, signal }, id) =>
    placar.leads.update(id, { company: newName() }, { signal }),
  ),
  'lead.status_changed': changing('creates a lead and qualifies it', leadOf, ({ placar, signal }, id) =>
    placar.leads.update(id, { status: 'qualified' }, { signal }),
  ),
  'lead.converted': changing('creates a lead and converts it to a deal', leadOf, ({ placar, signal }, id) =>
    placar.leads.convert(id, { deal_value: 1250.5 }, { signal }),
  ),
  'lead.merged': changing('creates two leads and merges them', leadOf, async (context, id) => {
    const { id: loserId } = await leadOf(context);
    await context.placar.leads.merge(id, loserId, { signal: context.signal });
  }),
  'lead.deleted': changing('creates a lead and deletes it', leadOf, ({ placar, signal }, id) =>
    placar.leads.delete(id, { signal }),
  ),
  'deal.created': changing('creates a deal', dealOf),
  'deal.updated': changing('creates a deal and changes its value', dealOf, ({ placar, signal }, id) =>
    placar.deals.update(id, { value: 2000 }, { signal }),
  ),
  'deal.stage_changed': changing('creates a deal and moves it', dealOf, moveToAnotherStage),
  'deal.won': changing('creates a deal and closes it as won', dealOf, ({ placar, signal }, id) =>
    placar.deals.close(id, { result: 'won' }, { signal }),
  ),
  'deal.lost': changing('creates a deal and closes it as lost', dealOf, ({ placar, signal }, id) =>
    placar.deals.close(id, { result: 'lost', loss_reason: 'placar trigger' }, { signal }),
  ),
  'deal.deleted': changing('creates a deal and deletes it', dealOf, ({ placar, signal }, id) =>
    placar.deals.delete(id, { signal }),
  ),
  'user.created': withUser('invites a user', async () => {}),
  'user.activated': withUser('invites a user who accepts', accept),
  'user.updated': withUser('invites a user and changes the phone number', ({ placar, signal }, id) =>
    placar.users.update(id, { phone: '+55 11 5555-0100' }, { signal }),
  ),
  'user.deactivated': withUser('invites and deactivates a user', ({ placar, signal }, id) =>
    placar.users.delete(id, { signal }),
  ),
};
