/** Roles that every variant can give. */
export const commonRoles = ['admin', 'manager', 'sales_rep'] as const;

/** `viewer` is given by variant C alone. */
export const userRoles = [...commonRoles, 'viewer'] as const;
export type UserRole = (typeof userRoles)[number];
