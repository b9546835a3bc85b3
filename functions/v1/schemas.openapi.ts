// Request and response schemas of records in each variant.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { activityResponse, newActivity } from '../../shared/records/activities/schema.ts';
import {
  closing,
  dealChange,
  dealResponse,
  move,
  newDeal,
  opportunityResponse,
} from '../../shared/records/deals/schema.ts';
import { id, nullableText } from '../../shared/records/fields.ts';
import { invitationResponse } from '../../shared/records/invitations/schema.ts';
import { conversion, leadChange, leadResponse, newLead } from '../../shared/records/leads/schema.ts';
import type { NamingRules } from '../../shared/records/naming.ts';
import { stageResponse } from '../../shared/records/stages/schema.ts';
import { newTeam, teamChange, teamResponse } from '../../shared/records/teams/schema.ts';
import { newUser, userChange, userResponse } from '../../shared/records/users/schema.ts';
import { ownerToAssignee } from '../../shared/records/variants/opportunity.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { bodyInVariant, renamed, variantValues } from './naming.openapi.ts';

/** Roles in responses: only variant C can set `viewer`, but all variants show it. */
const shownRoles = (naming: NamingRules) => {
  const words = Object.keys(naming.values.role ?? {});
  return z.enum([...new Set([...words, 'viewer'])]);
};

type Answers = Record<'lead' | 'deal' | 'activity' | 'user' | 'team' | 'stage', z.ZodObject>;

const answersOf: Record<NamingVariant, () => Answers> = {
  a: () => ({
    lead: leadResponse,
    deal: dealResponse,
    activity: activityResponse,
    user: userResponse,
    team: teamResponse,
    stage: stageResponse,
  }),
  b: () => {
    const { user } = variants.b.namings;
    const { team: _team, ...members } = userResponse.shape;
    return {
      lead: renamed(leadResponse, ownerToAssignee, {
        status: variantValues(variants.b.namings.lead, 'status'),
      }),
      deal: opportunityResponse,
      activity: renamed(activityResponse, ownerToAssignee),
      user: z.object({
        ...members,
        role: shownRoles(user),
        status: variantValues(user, 'status'),
        team_id: id.nullable(),
        team_name: nullableText,
      }),
      team: renamed(
        teamResponse,
        { leader_id: 'manager_id', member_count: 'members_count' },
        { manager_name: nullableText },
      ),
      stage: renamed(stageResponse, { position: 'order', probability: 'default_probability' }),
    };
  },
  c: () => {
    const { user } = variants.c.namings;
    return {
      lead: renamed(leadResponse, { ...ownerToAssignee, status: 'stage' }, { score: z.number().nullable() }),
      deal: opportunityResponse.extend({
        currency: z.string(),
        products: z.array(z.record(z.string(), z.unknown())),
      }),
      activity: renamed(activityResponse, { ...ownerToAssignee, deal_id: 'opportunity_id' }),
      user: userResponse.extend({ role: shownRoles(user), status: variantValues(user, 'status') }),
      team: teamResponse,
      stage: renamed(stageResponse, { position: 'order' }),
    };
  },
};

/** Schema names in the OpenAPI document: variants B and C call deals opportunities. */
const dealWords = {
  a: { deal: 'Deal', create: 'NewDeal', change: 'DealChange', move: 'Move', closing: 'Closing' },
  b: {
    deal: 'Opportunity',
    create: 'NewOpportunity',
    change: 'OpportunityChange',
    move: 'OpportunityMove',
    closing: 'OpportunityClosing',
  },
};

/** The schemas of a variant. Set `activityName` if the document also contains the activities of another one. */
export function schemasOf(variantId: NamingVariant, activityName = 'Activity') {
  const { namings } = variants[variantId];
  const answers = answersOf[variantId]();
  const words = dealWords[variantId === 'a' ? 'a' : 'b'];
  // In B and C, `stage` also accepts ids.
  const named = (deal: z.ZodObject) => (variantId === 'a' ? deal : deal.omit({ stage_id: true }));
  const activity = answers.activity.meta({ id: activityName });
  const moved = bodyInVariant(namings.deal, z.object(move.shape));
  return {
    id: variantId,
    lead: answers.lead.meta({ id: 'Lead' }),
    leadWithHistory: answers.lead
      .extend({
        activities: z
          .array(activity)
          .describe('The newest 100, newest first. GET /leads/{id}/activities lists all.'),
      })
      .meta({ id: 'LeadWithHistory' }),
    newLead: bodyInVariant(namings.lead, newLead).meta({ id: 'NewLead' }),
    leadChange: bodyInVariant(namings.lead, leadChange).meta({ id: 'LeadChange' }),
    conversion: bodyInVariant(namings.deal, conversion).meta({ id: 'Conversion' }),
    deal: answers.deal.meta({ id: words.deal }),
    newDeal: bodyInVariant(namings.deal, named(newDeal), { creates: true }).meta({ id: words.create }),
    dealChange: bodyInVariant(namings.deal, named(dealChange)).meta({
      id: words.change,
      description: 'Changing the stage of an open deal moves it.',
    }),
    // In B and C, either `stage` or `stage_id` is enough, so neither is required.
    move: (variantId === 'a' ? moved.required({ stage_id: true }) : moved).meta({ id: words.move }),
    closing: closingOf(namings.closing).meta({ id: words.closing }),
    activity,
    newActivity: bodyInVariant(namings.activity, newActivity).meta({ id: 'NewActivity' }),
    newDealActivity: bodyInVariant(namings.activity, newActivity.omit({ deal_id: true })).meta({
      id: 'NewDealActivity',
    }),
    user: answers.user.meta({ id: 'User' }),
    newUser: bodyInVariant(namings.user, newUser).meta({ id: 'NewUser' }),
    userChange: bodyInVariant(namings.user, userChange).meta({ id: 'UserChange' }),
    invitation: invitationResponse
      .extend({ role: shownRoles(namings.invitation) })
      .meta({ id: 'Invitation' }),
    team: answers.team.meta({ id: 'Team' }),
    newTeam: bodyInVariant(namings.team, newTeam).meta({ id: 'NewTeam' }),
    teamChange: bodyInVariant(namings.team, teamChange).meta({ id: 'TeamChange' }),
    stage: answers.stage.meta({ id: 'Stage' }),
  };
}

export type Schemas = ReturnType<typeof schemasOf>;

/** Variants B and C accept the result under two names, so neither is required. */
function closingOf(naming: NamingRules): z.ZodObject {
  const schema = bodyInVariant(naming, closing);
  if (!naming.aliases?.result) return schema;
  return schema.partial({ status: true }).meta({ description: 'Either `status` or `result` is required.' });
}
