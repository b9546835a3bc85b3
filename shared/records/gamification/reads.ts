// All that showing gamification takes: loaded with the first request for it, so that a function starts with its routes alone.
export { earnedBadgeList, listEarnedBadges } from './earned-badges.ts';
export {
  badgeList,
  challengeList,
  listFor,
  listPoints,
  missionList,
  parseUser,
  pointEntryList,
  seasonList,
} from './lists.ts';
export { getStandings } from './standings.ts';
export { parseStandingsQuery } from './standings-query.ts';
