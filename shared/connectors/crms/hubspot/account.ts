// What an account has: its id, owners, pipelines and stages.
import { z } from 'zod';
import type { CrmStage, CrmUser, Inspection } from '../crm.ts';
import type { HubSpotClient } from './client.ts';
import { ACTIVITY_OBJECTS, LIMITS } from './facts.ts';
import { idSchema, pagingSchema } from './rows.ts';

const textSchema = z.string().nullish();
const accountSchema = z.object({ portalId: idSchema });
const ownerSchema = z.object({
  id: idSchema,
  email: textSchema,
  firstName: textSchema,
  lastName: textSchema,
});
const ownersSchema = z.object({ results: z.array(ownerSchema), paging: pagingSchema });
const stageSchema = z.object({
  id: idSchema,
  label: z.string(),
  metadata: z.object({ isClosed: z.unknown(), probability: z.unknown() }).nullish(),
});
const pipelineSchema = z.object({ id: idSchema, label: z.string(), stages: z.array(stageSchema) });
const pipelinesSchema = z.object({ results: z.array(pipelineSchema) });

export async function inspectAccount(client: HubSpotClient): Promise<Inspection> {
  const { portalId } = await client.get(accountSchema, client.paths.account);
  const users = await readUsers(client);
  const stages = await readStages(client);
  return { vendorId: portalId, users, stages, activityTypes: [...ACTIVITY_OBJECTS] };
}

/** Archived owners come last, without those whose address another owner has. */
async function readUsers(client: HubSpotClient): Promise<CrmUser[]> {
  const users = new Map<string, CrmUser>();
  for (const archived of [false, true]) {
    let after: string | undefined;
    do {
      const query = { limit: LIMITS.ownerPage, archived, after };
      const { results, paging } = await client.get(ownersSchema, client.paths.owners, query);
      for (const { id, email: address, firstName, lastName } of results) {
        const email = address?.trim().toLowerCase();
        const name = [firstName, lastName].filter(Boolean).join(' ') || null;
        if (email && !users.has(email)) users.set(email, { id, email, name });
      }
      after = paging?.next?.after;
    } while (after);
  }
  return [...users.values()];
}

/** Stages in the order of HubSpot's pipelines. */
export async function readStages(client: HubSpotClient): Promise<CrmStage[]> {
  const { results } = await client.get(pipelinesSchema, client.paths.pipelines);
  return results.flatMap(({ id: pipeline, label: pipelineName, stages }) =>
    stages.map(({ id, label: name, metadata }) => {
      const closes = closesAs(metadata?.isClosed, metadata?.probability);
      return { id, name, pipeline, pipelineName, closes };
    }),
  );
}

/** HubSpot sends texts, such as `"isClosed": "true", "probability": "1.0"`. */
function closesAs(isClosed: unknown, probability: unknown): CrmStage['closes'] {
  if (String(isClosed ?? true) !== 'true' || probability === undefined || probability === '') return null;
  return Number(probability) === 1 ? 'won' : Number(probability) === 0 ? 'lost' : null;
}
