// Gamification endpoints: /missions, /standings, /seasons, /badges, /challenges, and a user's points and badges.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/gamification/reads.ts');
const read = { method: 'get', scopes: ['read:users'], body: 'none' } as const;
const readStandings = { ...read, scopes: ['read:standings', 'read:users'] } as const;

export const gamificationEndpoints = {
  listMissions: recordsEndpoint({
    ...read,
    path: '/missions',
    resource: 'mission',
    async handle(request) {
      const { listFor, missionList, parseUser } = await reads();
      const userId = parseUser(request.query);
      const list = missionList(userId);
      return request.list('mission', list, (context, query) => listFor(context, list, query, userId));
    },
  }),
  getStandings: recordsEndpoint({
    ...readStandings,
    path: '/standings',
    resource: 'standing',
    async handle(request) {
      const { getStandings, parseStandingsQuery } = await reads();
      const query = parseStandingsQuery(request.query, request.variant.defaultPerPage);
      return request.pageOf(
        (context) => getStandings(context, query),
        (standing) => request.shape('standing', standing),
      );
    },
  }),
  listSeasons: recordsEndpoint({
    ...readStandings,
    path: '/seasons',
    resource: 'season',
    handle: async (request) => request.list('season', (await reads()).seasonList),
  }),
  listBadges: recordsEndpoint({
    ...read,
    path: '/badges',
    resource: 'badge',
    handle: async (request) => request.list('badge', (await reads()).badgeList),
  }),
  listChallenges: recordsEndpoint({
    ...read,
    path: '/challenges',
    resource: 'challenge',
    async handle(request) {
      const { challengeList, listFor, parseUser } = await reads();
      const userId = parseUser(request.query);
      const list = challengeList(userId);
      return request.list('challenge', list, (context, query) => listFor(context, list, query, userId));
    },
  }),
  listPoints: recordsEndpoint({
    ...read,
    path: '/users/:id/points',
    resource: 'pointEntry',
    async handle(request) {
      const { listPoints, pointEntryList } = await reads();
      return request.list('pointEntry', pointEntryList, (context, query) =>
        listPoints(context, request.params.id, query),
      );
    },
  }),
  listEarnedBadges: recordsEndpoint({
    ...read,
    path: '/users/:id/badges',
    resource: 'earnedBadge',
    async handle(request) {
      const { earnedBadgeList, listEarnedBadges } = await reads();
      return request.list('earnedBadge', earnedBadgeList, (context, query) =>
        listEarnedBadges(context, request.params.id, query),
      );
    },
  }),
} satisfies Endpoints;
