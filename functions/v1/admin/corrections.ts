// Operations of the admin API: players, and corrections of points and activities.
import {
  activityFilters,
  adjustedPoints,
  optOut,
  player,
  pointsAdjustment,
  sentActivity,
  voidRequest,
} from '../../../shared/administration/corrections/schema.ts';
import { pointEntryResponse } from '../../../shared/records/gamification/schema.ts';
import { operation } from './operation.ts';

const reads = { method: 'get', scopes: ['read:settings', 'manage:gamification'] } as const;
const writes = { method: 'post', scopes: ['manage:gamification'] } as const;

export const correctionOperations = {
  listPlayers: operation({
    ...reads,
    path: '/players',
    summary: 'List players',
    description: 'Users and collaborators with their points. `search` also looks at email addresses.',
    form: 'page',
    data: player,
    call: ({ query }) => ({ name: 'list_players', args: { page: query } }),
  }),
  listPlayerPoints: operation({
    ...reads,
    path: '/players/:player_id/points',
    summary: 'List the point entries of a player',
    description:
      'The entries add up to the points of the player. Collaborators without a user have entries, too. `search` looks at notes.',
    form: 'page',
    sorts: ['created_at'],
    data: pointEntryResponse,
    call: ({ params, query }) => ({
      name: 'list_player_points',
      args: { ref: params.player_id, page: query },
    }),
  }),
  setOptOut: operation({
    ...writes,
    path: '/players/opt-out',
    summary: 'Hide a player from standings, or show them again',
    description: 'Points and awards stay.',
    body: optOut,
    data: player,
    call: ({ body }) => ({ name: 'set_opt_out', args: body }),
  }),
  adjustPoints: operation({
    ...writes,
    path: '/points/adjustments',
    summary: 'Add points to a player, or deduct them',
    description: 'Adds a permanent entry. To correct one, add another. Requires an `Idempotency-Key`.',
    keyRequired: true,
    status: 201,
    body: pointsAdjustment,
    data: adjustedPoints,
    call: ({ body }) => ({ name: 'adjust_points', args: body }),
  }),
  listSentActivities: operation({
    ...reads,
    path: '/activities',
    summary: 'List activities of activity sync',
    form: 'page',
    query: activityFilters,
    data: sentActivity,
    call: ({ query }) => ({ name: 'list_activities', args: { page: query } }),
  }),
  voidActivity: operation({
    ...writes,
    path: '/activities/void',
    summary: 'Void an activity',
    description: 'Reverses its points, permanently. Voiding it again changes nothing.',
    body: voidRequest,
    data: sentActivity,
    call: ({ body }) => ({ name: 'void_activity', args: body }),
  }),
};
