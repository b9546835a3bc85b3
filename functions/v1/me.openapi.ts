// OpenAPI descriptions of what persons read and change of themselves.
import { z } from 'zod';
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
import { type DescriptionsOf, tagged, type Untagged } from './openapi.ts';
import { pages, paging } from './parameters.openapi.ts';
import { listOf } from './responses.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

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

function dealDescriptions(
  schemas: Schemas,
  many: 'deals' | 'opportunities',
): Record<'list' | 'get', Untagged> {
  return {
    list: {
      summary: `List one's own ${many}`,
      query: z.object(dealQuery(schemas.id)),
      data: z.array(schemas.deal),
      list: listOf(schemas.id),
    },
    get: {
      entityTag: 'conditional',
      summary: `Get one of one's own ${many}`,
      data: schemas.deal,
    },
  };
}

export function meDescriptions(schemas: Schemas): DescriptionsOf<typeof meEndpoints> {
  const { id: variant, lead, leadWithHistory } = schemas;
  const me = meOf(variant);
  const deals = dealDescriptions(schemas, 'deals');
  const opportunities = dealDescriptions(opportunitySchemas(schemas), 'opportunities');
  return tagged('Oneself', {
    getMe: {
      entityTag: 'conditional',
      summary: 'Get oneself, with points, tier and position',
      description: 'All paths below `/me` need the scope `self`, which only persons have.',
      data: me,
      failures: [404],
    },
    updateMe: {
      entityTag: 'conditional',
      summary: 'Update oneself',
      description: 'Omitted members stay unchanged; null clears a member. Other members cannot be set.',
      body: meChange,
      data: me,
      failures: [404],
    },
    listOwnPoints: {
      summary: "List one's own point entries, with what caused them",
      description: 'The entries add up to `total_points`. They are never changed or deleted.',
      query: z.object(paging(variant, ['created_at'])),
      data: z.array(ownPointEntryResponse),
    },
    listOwnBadges: {
      summary: "List all badges with one's own progress, earned ones first",
      query: z.object(pages(variant)),
      data: z.array(ownBadgeResponse),
    },
    listOwnChallenges: {
      summary: "List challenges with one's own progress, running ones first",
      query: z.object(pages(variant)),
      data: z.array(ownChallengeResponse),
    },
    listOwnMissions: {
      summary: 'List what earns points: missions and rules',
      query: z.object(pages(variant)),
      data: z.array(ownMissionResponse),
    },
    listOwnLeads: {
      summary: "List one's own leads",
      query: z.object(leadQuery(variant)),
      data: z.array(lead),
    },
    getOwnLead: {
      entityTag: 'conditional',
      summary: "Get one of one's own leads with its history",
      description: "The history has no activities of other people's deals.",
      data: leadWithHistory,
    },
    listOwnDeals: deals.list,
    getOwnDeal: deals.get,
    listOwnOpportunities: opportunities.list,
    getOwnOpportunity: opportunities.get,
  });
}
