// The life of an invitation. A `pending` one is accepted or revoked, and stays so; past its time it is shown as `expired`,
// until it is sent again.

export const invitationStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];
