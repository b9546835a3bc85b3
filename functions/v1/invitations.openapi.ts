// What OpenAPI says of invitations.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { invitationResponse } from '../../shared/records/invitations/schema.ts';
import { invitationStatuses } from '../../shared/records/invitations/states.ts';
import type { invitationEndpoints } from './invitations.ts';
import { created, describe, paging } from './openapi.ts';
import { newUserBody } from './users.openapi.ts';

const tag = 'Invitations';
const params = ['id'] as const;

export const invitationOperations: OperationsOf<typeof invitationEndpoints> = {
  listInvitations: describe({
    tag,
    summary: 'List invitations',
    query: z.object({ ...paging(['invited_at']), ...created, status: z.enum(invitationStatuses).optional() }),
    data: z.array(invitationResponse),
    list: 'meta',
  }),
  createInvitation: describe({
    tag,
    summary: 'Invite a user',
    body: newUserBody,
    status: 201,
    data: invitationResponse,
    writes: true,
    failures: [409, 422],
  }),
  resendInvitation: describe({
    tag,
    summary:
      'Send an invitation again; 429 while its address was mailed in the last five minutes, or the day is used up',
    params,
    data: invitationResponse,
    writes: true,
    failures: [404, 409],
  }),
  revokeInvitation: describe({
    tag,
    summary: 'Take an invitation back',
    params,
    writes: true,
    failures: [404, 409],
  }),
};
