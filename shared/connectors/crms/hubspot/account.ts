// What an account has: its id, owners, pipelines and stages.
import { z } from 'zod';
import type { CrmStage, Inspection, InspectionOrder } from '../crm.ts';
import { CrmUnreadable } from '../errors.ts';
import { id, text, usersWithAddress } from '../wire.ts';
import type { HubSpotClient } from './client.ts';
import { ACTIVITY_OBJECTS, LIMITS } from './facts.ts';
import type { Account } from './kinds.ts';
import { pagingSchema } from './rows.ts';

const detailsSchema = z.object({ portalId: id, timeZone: z.string().optional().catch(undefined) });
const ownerSchema = z.object({ id, email: text, firstName: text, lastName: text }).transform((owner) => ({
  ...owner,
  name: [owner.firstName, owner.lastName].filter(Boolean).join(' ') || null,
}));
const ownersSchema = z.object({ results: z.array(ownerSchema), paging: pagingSchema });
const stageSchema = z.object({
  id,
  label: z.string(),
  metadata: z.object({ isClosed: z.unknown(), probability: z.unknown() }).nullish(),
});
const pipelineSchema = z.object({ id, label: z.string(), stages: z.array(stageSchema) });
const pipelinesSchema = z.object({ results: z.array(pipelineSchema) });

export async function inspectAccount(client: HubSpotClient, order?: InspectionOrder): Promise<Inspection> {
  const { portalId } = await readDetails(client);
  await order?.claim(portalId);
  // Archived owners come last: deals are given to owners who are not archived.
  const owners = [...(await readOwners(client, false)), ...(await readOwners(client, true))];
  const [users, stages] = [usersWithAddress(owners), await readStages(client)];
  return { vendorId: portalId, users, stages, activityTypes: [...ACTIVITY_OBJECTS] };
}

async function readDetails(client: HubSpotClient) {
  for (const path of client.paths.accounts) {
    const found = await client.find(detailsSchema, path);
    if (found) return found;
  }
  throw new CrmUnreadable('HubSpot does not say the id of its account.');
}

async function readOwners(client: HubSpotClient, archived: boolean) {
  const owners: z.output<typeof ownerSchema>[] = [];
  let after: string | undefined;
  do {
    const query = { limit: LIMITS.ownerPage, archived, after };
    const { results, paging } = await client.get(ownersSchema, client.paths.owners, query);
    owners.push(...results);
    after = paging?.next?.after;
  } while (after);
  return owners;
}

/** Stages in the order of HubSpot's pipelines. */
export async function readStages(client: HubSpotClient): Promise<CrmStage[]> {
  const { results } = await client.get(pipelinesSchema, client.paths.pipelines);
  return results.flatMap(({ id: pipeline, label: pipelineName, stages }) =>
    stages.map(({ id, label: name, metadata }) => ({
      ...{ id, name, pipeline, pipelineName, closes: closesAs(metadata?.isClosed, metadata?.probability) },
    })),
  );
}

/** HubSpot sends texts, such as `"isClosed": "true", "probability": "1.0"`. */
function closesAs(isClosed: unknown, probability: unknown): CrmStage['closes'] {
  if (String(isClosed ?? true) !== 'true' || probability === undefined || probability === '') return null;
  return Number(probability) === 1 ? 'won' : Number(probability) === 0 ? 'lost' : null;
}

/**
 * `Account.dayOf`. HubSpot stores a day that was picked on its pages with the time of day of that moment [O], so a day picked in the
 * evening can be the next one in UTC.
 */
export function createDays(client: HubSpotClient): Account['dayOf'] {
  let format: Intl.DateTimeFormat | undefined;
  return async (iso) => {
    // A day that a program wrote.
    if (iso.endsWith('T00:00:00.000Z')) return iso.slice(0, 10);
    format ??= daysIn((await readDetails(client)).timeZone);
    return format.format(new Date(iso));
  };
}

/** Formats days of a time zone as ISO 8601, which is Swedish. */
function daysIn(timeZone = 'UTC'): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  } catch {
    return daysIn();
  }
}
