// The life of a user. A new one is `invited`; accepting the invitation makes them `active`, revoking it or being removed
// `deactivated`, from which an administrator alone leads back.

export const userStatuses = ['active', 'invited', 'deactivated'] as const;
export type UserStatus = (typeof userStatuses)[number];

/** What changes of users emit. Being removed for good is `user.deactivated` as well. */
export const userEvents = ['user.created', 'user.activated', 'user.updated', 'user.deactivated'] as const;
