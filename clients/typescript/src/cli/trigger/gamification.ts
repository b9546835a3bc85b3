// Triggers for points events. Badges, challenges and points are set up by SQL; players earn them through the API.
import type postgres from 'postgres';
import { DATABASE, newEmail, type Trigger, type TriggerContext, type Triggered } from './context.ts';

const NAME = 'placar trigger';

/** A new user who has not earned anything yet. The trigger removes it afterwards. */
async function newPlayer({ placar, signal }: TriggerContext) {
  const email = newEmail();
  const { id } = await placar.users.create({ name: NAME, email, role: 'sales_rep' }, { signal });
  return { id, email, remove: () => placar.users.delete(id, { permanent: true }) };
}

/** Creates the player's first deal. */
const firstDeal = ({ placar, signal }: TriggerContext, ownerId: string) =>
  placar.deals.create({ name: NAME, value: 1, owner_id: ownerId }, { signal });

/** A reward for a first deal. */
interface Reward {
  /** Returns its id. */
  offer(sql: postgres.Sql, tenantId: string): Promise<string>;
  /** Removes it from everyone who earned it. */
  remove(sql: postgres.Sql, tenantId: string, id: string): Promise<unknown>;
}

/** Offers a reward, and creates a player who earns it. */
const earning = (does: string, reward: Reward): Trigger => ({
  does: `${does} by SQL; a new user earns it with a first deal (all are removed afterwards)`,
  needs: DATABASE,
  async run(context): Promise<Triggered> {
    const sql = await context.database();
    const { tenantId = '' } = context.settings;
    const rewardId = await reward.offer(sql, tenantId);
    const player = await newPlayer(context);
    const deal = await firstDeal(context, player.id);
    const tidy = async () => {
      await reward.remove(sql, tenantId, rewardId);
      await context.placar.deals.delete(deal.id);
      await player.remove();
    };
    return { id: player.id, tidy };
  },
});

export const gamificationTriggers: Record<string, Trigger> = {
  'badge.earned': earning('creates a badge', {
    async offer(sql, tenantId) {
      const [row] = await sql<{ id: string }[]>`
        select admin.create_badge(${tenantId}, ${NAME}, 'deals_created', 1) as id`;
      return row?.id ?? '';
    },
    remove: (sql, tenantId, id) =>
      sql`delete from public.badges where tenant_id = ${tenantId} and id = ${id}`,
  }),
  'challenge.completed': earning('creates a challenge', {
    async offer(sql, tenantId) {
      const [row] = await sql<{ id: string }[]>`
        select admin.create_challenge(${tenantId}, ${NAME}, 'deals_created', 1, now(), now() + interval '5 minutes') as id`;
      return row?.id ?? '';
    },
    remove: (sql, tenantId, id) =>
      sql`delete from public.challenges where tenant_id = ${tenantId} and id = ${id}`,
  }),
  'ranking.changed': {
    does: 'gives a new user the most points by SQL (both are removed afterwards)',
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
