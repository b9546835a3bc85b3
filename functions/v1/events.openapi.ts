// OpenAPI descriptions of records events in the names of a variant, as delivered by webhooks and by the feed.
import { z } from 'zod';
import {
  type EventDescription,
  eventOf,
  standardSignature,
  standardWebhookHeaders,
} from '../../shared/platform/http/openapi.ts';
import type { eventTypes } from '../../shared/records/events/event-types.ts';
import { id, time } from '../../shared/records/fields.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { feedMembers, feedParameters } from '../../shared/webhooks/feed/schema.ts';
import { foldMembers } from '../../shared/webhooks/management/schema.ts';
import type { eventEndpoints } from './events.ts';
import { type DescriptionsOf, tagged } from './openapi.ts';
import { type Schemas, schemasOf } from './schemas.openapi.ts';

const player = {
  user_id: id.nullable().describe('Null for a collaborator who is not a user.'),
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
  // Same type as the deal's own stage: a name in B and C, an object in A.
  return deal.extend({ previous_stage: stage as z.ZodType }).meta({ id: 'MovedDeal' });
}

/** By canonical event type. */
function descriptions(
  schemas: Schemas,
): Record<(typeof eventTypes)[number] | 'webhook.test', EventDescription> {
  const { lead, deal, user } = schemas;
  const moved = movedDeal(deal);
  const change = z.object({ user_id: id, from: z.int().nullable(), to: z.int() });
  return {
    'lead.created': { summary: 'A lead was created', data: lead },
    'lead.updated': { summary: 'A lead was updated', data: lead },
    'lead.status_changed': { summary: 'The status of a lead changed', data: lead },
    'lead.converted': { summary: 'A lead was converted to a deal', data: lead },
    'lead.merged': {
      summary: 'Another lead was merged into a lead',
      data: lead.extend({ merged_id: id.describe('Id of the deleted lead.') }).meta({ id: 'MergedLead' }),
    },
    'lead.deleted': { summary: 'A lead was deleted; `data` is its last state', data: lead },
    'deal.created': { summary: 'A deal was created', data: deal },
    'deal.updated': { summary: 'A deal was updated', data: deal },
    'deal.stage_changed': { summary: 'A deal was moved to another stage', data: moved },
    'deal.won': {
      summary: 'A deal was won',
      data: moved.partial({ previous_stage: true }).meta({ id: 'WonDeal' }),
    },
    'deal.lost': { summary: 'A deal was lost', data: deal },
    'deal.deleted': { summary: 'A deal was deleted; `data` is its last state', data: deal },
    'user.created': { summary: 'A user was invited', data: user },
    'user.activated': { summary: 'A user accepted an invitation', data: user },
    'user.updated': { summary: 'A user was updated', data: user },
    'user.deactivated': { summary: 'A user was deactivated or permanently deleted', data: user },
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
      summary: 'A test event for one webhook',
      data: z.object({ webhook_id: id }).meta({ id: 'WebhookTest' }),
    },
  };
}

const origin = z
  .string()
  .max(64)
  .optional()
  .describe('`X-Origin` of the request that caused the event, if any.');

const headers = (type: string) =>
  z.object({
    'X-Service-Event': z.literal(type),
    'X-Service-Delivery': z.string().describe('Id of the delivery, the same for every attempt.'),
    'X-Service-Signature': z
      .string()
      .optional()
      .describe('`sha256=` followed by the hex HMAC-SHA256 of the body. Only for webhooks with a secret.'),
    ...standardWebhookHeaders,
    'webhook-signature': standardSignature.optional(),
  });

/** By the variant's names of the event types. */
function recordsEvents(schemas: Schemas) {
  const own = variants[schemas.id].eventTypes;
  return Object.fromEntries(
    Object.entries(descriptions(schemas)).map(([canonical, { summary, data }]) => {
      const type = own[canonical] ?? canonical;
      return [
        type,
        { summary, headers: headers(type), body: eventOf(type, data).extend({ origin, ...foldMembers }) },
      ];
    }),
  );
}

export const recordsEventsIn = (variant: Schemas['id']) => recordsEvents(schemasOf(variant));

export function eventDescriptions(schemas: Schemas): DescriptionsOf<typeof eventEndpoints> {
  const own = variants[schemas.id].eventTypes;
  const { 'webhook.test': _test, ...all } = descriptions(schemas);
  const feedEvents = Object.entries(all).map(([canonical, { data }]) =>
    eventOf(own[canonical] ?? canonical, data).extend({ ...feedMembers, origin }),
  );
  return tagged('Webhooks', {
    listEvents: {
      summary: 'List events in feed order',
      description:
        'Returns the events that webhooks push, of the types that the token may read. All readers see the same order. ' +
        'Store `next_cursor` and pass it as `after` in the next request. Without `after`, the list starts with the oldest stored event.',
      query: z.object(feedParameters),
      data: z.array(z.union(feedEvents)),
      list: 'feed',
      failures: [410],
    },
  });
}
