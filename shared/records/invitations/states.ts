// The lifecycle of an invitation. A `pending` invitation becomes `accepted` or `revoked`, which is final. A pending invitation past
// its expiry is shown as `expired` until it is sent again.

export const invitationStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];
