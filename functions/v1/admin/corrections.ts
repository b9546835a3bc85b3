// Operations of the admin API: players, and corrections of points and activities.
import {
  listActivities,
  listEntries,
  listPlayers,
} from '../../../shared/administration/corrections/reads.ts';
import {
  activityFilters,
  adjustedPoints,
  optOut,
  player,
  pointsAdjustment,
  sentActivity,
  voidRequest,
} from '../../../shared/administration/corrections/schema.ts';
import { adjustPoints, setOptOut, voidActivity } from '../../../shared/administration/corrections/writes.ts';
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
    run: ({ paging }, context) => listPlayers(context, paging),
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
    run: ({ params, paging }, context) => listEntries(context, params.player_id, paging),
  }),
  setOptOut: operation({
    ...writes,
    path: '/players/opt-out',
    summary: 'Hide a player from standings, or show them again',
    description: 'Points and awards stay.',
    body: optOut,
    data: player,
    run: ({ body }, context) => setOptOut(context, body),
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
    run: ({ body }, context) => adjustPoints(context, body),
  }),
  listSentActivities: operation({
    ...reads,
    path: '/activities',
    summary: 'List activities of activity sync',
    form: 'page',
    query: activityFilters,
    data: sentActivity,
    run: ({ query, paging }, context) => listActivities(context, query, paging),
  }),
  voidActivity: operation({
    ...writes,
    path: '/activities/void',
    summary: 'Void an activity',
    description: 'Reverses its points, permanently. Voiding it again changes nothing.',
    body: voidRequest,
    data: sentActivity,
    run: ({ body }, context) => voidActivity(context, body),
  }),
};
