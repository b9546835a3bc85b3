// Goals for the costs.
import { median } from '../compare.ts';
import { ONE_MESSAGE } from '../contenders.ts';
import type { Costs } from '../costs.ts';
import { DELIVERY } from '../operation.ts';
import { type Operation, operations } from '../peers/requests.ts';
import type { Ratio } from '../report.ts';
import type { Counts } from './cost-counts.ts';

interface LeadGoals {
  /** Minimum ratio of requests per second to those of the peer. */
  postgraphile: number;
  directus: number;
  /** Maximum ratio of CPU time per request to that of the bare handler with Placar's own database layer. */
  function: number;
  postgres: number;
}

const leadGoals: Record<Operation, LeadGoals> = {
  get: { postgraphile: 1.5, directus: 3, function: 2, postgres: 1.7 },
  list: { postgraphile: 2, directus: 2, function: 1.5, postgres: 1.7 },
  create: { postgraphile: 1, directus: 3.5, function: 3, postgres: 3 },
  update: { postgraphile: 1, directus: 4, function: 3, postgres: 3 },
};
const REDIS_COMMANDS = 0.2;
const MESSAGES_OF_A_DELIVERY = 0.05;

const ofTheSameRounds = (one: readonly number[], other: readonly number[]) =>
  median(one.map((value, round) => value / (other[round] ?? Number.NaN)));

/** Compares the medians of the rounds to the goals. */
export function costGoals(costs: Map<string, Record<string, Costs>>, counts: Counts): Ratio[] {
  const ratios: Ratio[] = [];
  for (const [name, { Placar: placar, ...others }] of costs) {
    const operation = operations.find((one) => name === `lead ${one}`);
    const goals = operation && leadGoals[operation];
    if (!placar) continue;
    for (const [other, its] of Object.entries(others)) {
      const peer = (['postgraphile', 'directus'] as const).find((one) => other.startsWith(one));
      const atLeast = peer && goals?.[peer];
      ratios.push({
        name: `${name}: requests per second, Placar / ${other}`,
        value: ofTheSameRounds(placar.perSecond, its.perSecond),
        ...(atLeast !== undefined && { atLeast }),
      });
      if (!goals || other !== ONE_MESSAGE) continue;
      for (const part of ['function', 'postgres'] as const) {
        const value = ofTheSameRounds(placar.ms[part], its.ms[part]);
        ratios.push({ name: `${name}: ms of ${part}, Placar / ${other}`, value, atMost: goals[part] });
      }
    }
  }
  for (const [name, { redisCommands, qstashMessages }] of counts) {
    if (name === DELIVERY) {
      ratios.push({
        name: `${name}: QStash messages`,
        value: qstashMessages,
        atMost: MESSAGES_OF_A_DELIVERY,
      });
    } else {
      ratios.push({ name: `${name}: Redis commands`, value: redisCommands, atMost: REDIS_COMMANDS });
    }
  }
  return ratios;
}
