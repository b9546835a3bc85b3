// How events of points come about. What can be earned is made by SQL, which has no API; that it is earned is the API's doing.
import type postgres from 'postgres';
import { DATABASE, newEmail, type Trigger, type TriggerContext, type Triggered } from './context.ts';

const NAME = 'placar trigger';

/** A new user, so that nothing was earned yet; it is removed afterwards. */
async function newPlayer({ placar, signal }: TriggerContext) {
  const email = newEmail();
  const { id } = await placar.users.create({ name: NAME, email, role: 'sales_rep' }, { signal });
  return { id, email, remove: () => placar.users.delete(id, { permanent: true }) };
}

/** The player has a first deal. */
const firstDeal = ({ placar, signal }: TriggerContext, ownerId: string) =>
  placar.deals.create({ name: NAME, value: 1, owner_id: ownerId }, { signal });

/** Has something to be earned by a first deal, and a player who earns it. */
const earning = (does: string, offer: (sql: postgres.Sql, tenantId: string) => Promise<void>): Trigger => ({
  does: `${does}, by SQL; a new user's first deal reaches it, who goes afterwards with the deal`,
  needs: DATABASE,
  async run(context): Promise<Triggered> {
    const sql = await context.database();
    await offer(sql, context.settings.tenantId ?? '');
    const player = await newPlayer(context);
    const deal = await firstDeal(context, player.id);
    const tidy = async () => {
      await context.placar.deals.delete(deal.id);
      await player.remove();
    };
    return { id: player.id, tidy };
  },
});

export const gamificationTriggers: Record<string, Trigger> = {
  'badge.earned': earning('offers a badge', async (sql, tenantId) => {
    const [row] = await sql`select id from admin.badges where tenant_id = ${tenantId} and name = ${NAME}`;
    // What was earned stays, and with it the badge.
    if (!row) await sql`select admin.create_badge(${tenantId}, ${NAME}, 'deals_created', 1)`;
  }),
  'challenge.completed': earning('offers a challenge', async (sql, tenantId) => {
    await sql`
      select admin.create_challenge(${tenantId}, ${NAME}, 'deals_created', 1, now(), now() + interval '5 minutes')`;
  }),
  'ranking.changed': {
    does: 'gives a new user the most points, by SQL; they and the user go afterwards',
    needs: DATABASE,
    async run(context): Promise<Triggered> {
      const sql = await context.database();
      const { tenantId = '' } = context.settings;
      const player = await newPlayer(context);
      const [top] = await sql<{ points: number }[]>`
        select coalesce(max(points), 0)::integer + 1 as points from admin.standings where tenant_id = ${tenantId}`;
      const points = top?.points ?? 1;
      const give = (amount: number) =>
        sql`select admin.adjust_points(${tenantId}, ${player.email}, ${amount}, 'placar trigger')`;
      await give(points);
      const tidy = async () => {
        await give(-points);
        await player.remove();
      };
      return { id: null, tidy };
    },
  },
};
