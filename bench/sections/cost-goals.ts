// What the costs should be.
import { median } from '../compare.ts';
import type { Costs } from '../costs.ts';
import { DELIVERY } from '../operation.ts';
import { type Operation, operations } from '../peers/requests.ts';
import type { Ratio } from '../report.ts';
import type { Counts } from './cost-counts.ts';

interface LeadGoals {
  /** Processor milliseconds of a request, at most. */
  postgres: number;
  function: number;
  /** Requests per second to theirs, at least. */
  postgraphile: number;
  directus: number;
}

const leadGoals: Record<Operation, LeadGoals> = {
  get: { postgres: 0.25, function: 0.5, postgraphile: 1, directus: 2.5 },
  list: { postgres: 1, function: 0.75, postgraphile: 2, directus: 2 },
  create: { postgres: 0.9, function: 0.7, postgraphile: 0.6, directus: 3 },
  update: { postgres: 1, function: 0.8, postgraphile: 0.6, directus: 3 },
};
const REDIS_COMMANDS = 0.2;
const MESSAGES_OF_A_DELIVERY = 0.05;

const ofTheSameRounds = (one: Costs, other: Costs) =>
  median(one.perSecond.map((rate, round) => rate / (other.perSecond[round] ?? Number.NaN)));

/** Medians of the rounds. */
export function costGoals(costs: Map<string, Record<string, Costs>>, counts: Counts): Ratio[] {
  const ratios: Ratio[] = [];
  for (const [name, { Placar: placar, ...others }] of costs) {
    const operation = operations.find((one) => name === `lead ${one}`);
    const goals = operation && leadGoals[operation];
    if (!placar) continue;
    if (goals) {
      ratios.push(
        { name: `${name}: Postgres, ms`, value: median(placar.ms.postgres), atMost: goals.postgres },
        { name: `${name}: the function, ms`, value: median(placar.ms.function), atMost: goals.function },
      );
    }
    for (const [other, its] of Object.entries(others)) {
      const value = ofTheSameRounds(placar, its);
      const peer = (['postgraphile', 'directus'] as const).find((one) => other.startsWith(one));
      const atLeast = peer && goals?.[peer];
      ratios.push({
        name: `${name}: requests per second, Placar / ${other}`,
        value,
        ...(atLeast !== undefined && { atLeast }),
      });
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
