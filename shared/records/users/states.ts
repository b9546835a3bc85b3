// The lifecycle of a user. A new user is `invited` and becomes `active` by accepting the invitation. Revoking the invitation or
// removing the user makes them `deactivated`; only an administrator can reactivate them.

export const userStatuses = ['active', 'invited', 'deactivated'] as const;
export type UserStatus = (typeof userStatuses)[number];

/** Events of users. Permanent deletion also emits `user.deactivated`. */
export const userEvents = ['user.created', 'user.activated', 'user.updated', 'user.deactivated'] as const;
