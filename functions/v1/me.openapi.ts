// OpenAPI descriptions of what persons read and change of themselves.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { nullableText } from '../../shared/records/fields.ts';
import {
  meChange,
  meResponse,
  ownBadgeResponse,
  ownChallengeResponse,
  ownMissionResponse,
  ownPointEntryResponse,
} from '../../shared/records/me/schema.ts';
import { userRoles } from '../../shared/records/roles.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { dealQuery, opportunitySchemas } from './deals.openapi.ts';
import { leadQuery } from './leads.openapi.ts';
import type { meEndpoints } from './me.ts';
import { describeIn, listOf, paging } from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

const tag = 'Oneself';
const params = ['id'] as const;

/** The person in a variant. */
function meOf(variant: Schemas['id']): z.ZodObject {
  const naming = variants[variant].namings.user;
  const words = Object.keys(naming.values.role ?? {});
  const role = variant === 'a' ? z.enum(userRoles) : z.enum([...new Set([...words, 'viewer'])]);
  const { team, ...members } = meResponse.shape;
  const ofTeam: z.ZodRawShape =
    variant === 'b' ? { team_id: z.uuid().nullable(), team_name: nullableText } : { team };
  return z.object({ ...members, role, ...ofTeam }).meta({ id: 'Me' });
}

function dealOperations(schemas: Schemas, many: 'deals' | 'opportunities') {
  const describe = describeIn(schemas.of);
  return {
    list: describe({
      tag,
      summary: `List one's own ${many}`,
      query: z.object(dealQuery(schemas.id)),
      data: z.array(schemas.deal),
      list: listOf(schemas.id),
    }),
    get: describe({
      entityTag: 'conditional',
      tag,
      summary: `Get one of one's own ${many}`,
      params,
      data: schemas.deal,
      failures: [404],
    }),
  };
}

export function meOperations(schemas: Schemas): OperationsOf<typeof meEndpoints> {
  const { id: variant, lead, leadWithHistory } = schemas;
  const describe = describeIn(variant);
  const list = listOf(variant);
  const me = meOf(variant);
  const { sort: _sort, ...pages } = paging(variant, ['position']);
  const deals = dealOperations(schemas, 'deals');
  const opportunities = dealOperations(opportunitySchemas(schemas), 'opportunities');
  return {
    getMe: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Get oneself, with points, tier and position',
      description: 'All paths below `/me` need the scope `self`, which only persons have.',
      data: me,
      failures: [404],
    }),
    updateMe: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Update oneself',
      description: 'Omitted members stay unchanged; null clears a member. Other members cannot be set.',
      body: meChange,
      data: me,
      writes: true,
      failures: [404],
    }),
    listOwnPoints: describe({
      tag,
      summary: "List one's own point entries, with what caused them",
      description: 'The entries add up to `total_points`. They are never changed or deleted.',
      query: z.object(paging(variant, ['created_at'])),
      data: z.array(ownPointEntryResponse),
      list,
    }),
    listOwnBadges: describe({
      tag,
      summary: "List all badges with one's own progress, earned ones first",
      query: z.object(pages),
      data: z.array(ownBadgeResponse),
      list,
    }),
    listOwnChallenges: describe({
      tag,
      summary: "List challenges with one's own progress, running ones first",
      query: z.object(pages),
      data: z.array(ownChallengeResponse),
      list,
    }),
    listOwnMissions: describe({
      tag,
      summary: 'List what earns points: missions and rules',
      query: z.object(pages),
      data: z.array(ownMissionResponse),
      list,
    }),
    listOwnLeads: describe({
      tag,
      summary: "List one's own leads",
      query: z.object(leadQuery(variant)),
      data: z.array(lead),
      list,
    }),
    getOwnLead: describe({
      entityTag: 'conditional',
      tag,
      summary: "Get one of one's own leads with its history",
      description: "The history has no activities of other people's deals.",
      params,
      data: leadWithHistory,
      failures: [404],
    }),
    listOwnDeals: deals.list,
    getOwnDeal: deals.get,
    listOwnOpportunities: opportunities.list,
    getOwnOpportunity: opportunities.get,
  };
}
