/** Roles in every variant. */
export const commonRoles = ['admin', 'manager', 'sales_rep'] as const;

/** Only variant C can assign `viewer`. */
export const userRoles = [...commonRoles, 'viewer'] as const;
export type UserRole = (typeof userRoles)[number];
