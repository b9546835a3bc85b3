// All that reading a team takes: loaded when the first one is read, so that a function starts with its routes alone.
export { userList } from '../users/list.ts';
export { getTeam } from './get.ts';
export { teamList } from './list.ts';
export { listMembers } from './list-members.ts';
