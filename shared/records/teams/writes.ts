// All that writing a team takes: loaded when the first one is written, so that a function starts without the rules of
// every field.
export { addMember } from './add-member.ts';
export { createTeam } from './create.ts';
export { removeMember } from './remove-member.ts';
export { newMember, newTeam, teamChange } from './schema.ts';
export { updateTeam } from './update.ts';
