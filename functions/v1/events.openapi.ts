// What OpenAPI says of the events of records, in the names of a variant: those that webhooks bring, and the feed.
import { z } from 'zod';
import {
  type EventDescription,
  eventOf,
  type OperationsOf,
  standardSignature,
  standardWebhookHeaders,
} from '../../shared/platform/http/openapi.ts';
import type { eventTypes } from '../../shared/records/events/event-types.ts';
import { id, time } from '../../shared/records/fields.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { feedMembers, feedParameters } from '../../shared/webhooks/feed/schema.ts';
import { burstMembers } from '../../shared/webhooks/management/schema.ts';
import type { eventEndpoints } from './events.ts';
import { describeIn } from './openapi.ts';
import { type Schemas, schemasOf } from './schemas.openapi.ts';

const player = {
  user_id: id.nullable().describe('Null for a collaborator without a user.'),
  email: z.string(),
};
const badge = z.object({ id, name: z.string(), metric: z.string(), threshold: z.number() });
const challenge = z.object({
  id,
  name: z.string(),
  metric: z.string(),
  target: z.number(),
  starts_at: time,
  ends_at: time,
  reward_points: z.int(),
});

function movedDeal(deal: z.ZodObject): z.ZodObject {
  const { stage } = deal.shape;
  // Its name in B and C, an object in A: of the type that the deal's own stage has.
  return deal.extend({ previous_stage: stage as z.ZodType }).meta({ id: 'MovedDeal' });
}

/** What happens, in its own words, by the canonical type. */
function descriptions(
  schemas: Schemas,
): Record<(typeof eventTypes)[number] | 'webhook.test', EventDescription> {
  const { lead, deal, user } = schemas;
  const moved = movedDeal(deal);
  const change = z.object({ user_id: id, from: z.int().nullable(), to: z.int() });
  return {
    'lead.created': { summary: 'A lead was created', data: lead },
    'lead.updated': { summary: 'A lead was changed', data: lead },
    'lead.status_changed': { summary: 'A lead has another status', data: lead },
    'lead.converted': { summary: 'A deal was made of a lead', data: lead },
    'lead.merged': {
      summary: 'Another lead became a part of a lead',
      data: lead
        .extend({ merged_id: id.describe('The other one, which is gone.') })
        .meta({ id: 'MergedLead' }),
    },
    'lead.deleted': { summary: 'A lead was deleted; as it last was', data: lead },
    'deal.created': { summary: 'A deal was created', data: deal },
    'deal.updated': { summary: 'A deal was changed', data: deal },
    'deal.stage_changed': { summary: 'A deal was moved to another stage', data: moved },
    'deal.won': {
      summary: 'A deal was won',
      data: moved.partial({ previous_stage: true }).meta({ id: 'WonDeal' }),
    },
    'deal.lost': { summary: 'A deal was lost', data: deal },
    'deal.deleted': { summary: 'A deal was deleted; as it last was', data: deal },
    'user.created': { summary: 'A user was invited', data: user },
    'user.activated': { summary: 'A user accepted their invitation', data: user },
    'user.updated': { summary: 'A user was changed', data: user },
    'user.deactivated': { summary: 'A user was deactivated, or removed for good', data: user },
    'badge.earned': {
      summary: 'A badge was earned',
      data: z.object({ ...player, badge, earned_at: time }).meta({ id: 'EarnedBadge' }),
    },
    'challenge.completed': {
      summary: 'A challenge was completed',
      data: z.object({ ...player, challenge, completed_at: time }).meta({ id: 'CompletedChallenge' }),
    },
    'ranking.changed': {
      summary: 'Positions of users in the standings changed',
      data: z.object({ changes: z.array(change) }).meta({ id: 'RankingChange' }),
    },
    'webhook.test': {
      summary: 'POST /webhooks/{id}/test was called',
      data: z.object({ webhook_id: id }).meta({ id: 'WebhookTest' }),
    },
  };
}

const origin = z
  .string()
  .max(64)
  .optional()
  .describe('`X-Origin` of the request that caused it, if it had one.');

const headers = (type: string) =>
  z.object({
    'X-Service-Event': z.literal(type),
    'X-Service-Delivery': z.string().describe('Id of the delivery, the same on every attempt.'),
    'X-Service-Signature': z
      .string()
      .optional()
      .describe('`sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret.'),
    ...standardWebhookHeaders,
    'webhook-signature': standardSignature.optional(),
  });

/** The events by the variant's name of their type. */
export function recordsEvents(schemas: Schemas) {
  const own = variants[schemas.id].eventTypes;
  return Object.fromEntries(
    Object.entries(descriptions(schemas)).map(([canonical, { summary, data }]) => {
      const type = own[canonical] ?? canonical;
      return [
        type,
        { summary, headers: headers(type), body: eventOf(type, data).extend({ origin, ...burstMembers }) },
      ];
    }),
  );
}

export const recordsEventsIn = (variant: Schemas['id']) => recordsEvents(schemasOf(variant));

export function eventOperations(schemas: Schemas): OperationsOf<typeof eventEndpoints> {
  const own = variants[schemas.id].eventTypes;
  const { 'webhook.test': _test, ...all } = descriptions(schemas);
  const feedEvents = Object.entries(all).map(([canonical, { data }]) =>
    eventOf(own[canonical] ?? canonical, data).extend({ ...feedMembers, origin }),
  );
  return {
    listEvents: describeIn(schemas.id)({
      summary: 'List events in the order of the feed',
      description:
        'What webhooks push, to be asked for: every event of the types that the token may read, in one order that all readers see. ' +
        'Keep `next_cursor` and ask after it. Without `after` it begins with the oldest that is kept.',
      tag: 'Webhooks',
      query: z.object(feedParameters),
      data: z.array(z.union(feedEvents)),
      list: 'feed',
      failures: [410],
    }),
  };
}
