// All that writing a user takes: loaded when the first one is written, so that a function starts without the rules of
// every field.
export { inviteUser } from './invite.ts';
export { removeUser } from './remove.ts';
export { newUser, userChange } from './schema.ts';
export { updateUser } from './update.ts';
export { upsertUser } from './upsert.ts';
