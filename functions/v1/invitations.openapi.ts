// OpenAPI descriptions of invitations.
import { z } from 'zod';
import { invitationStatuses } from '../../shared/records/invitations/states.ts';
import type { invitationEndpoints } from './invitations.ts';
import { type DescriptionsOf, tagged } from './openapi.ts';
import { created, paging } from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

export function invitationDescriptions(schemas: Schemas): DescriptionsOf<typeof invitationEndpoints> {
  const { id: variant, invitation } = schemas;
  return tagged('Invitations', {
    listInvitations: {
      summary: 'List invitations',
      query: z.object({
        ...paging(variant, ['invited_at']),
        ...created,
        status: z.enum(invitationStatuses).optional().describe('Only invitations with this status.'),
      }),
      data: z.array(invitation),
    },
    createInvitation: {
      summary: 'Invite a user',
      body: schemas.newUser,
      status: 201,
      data: invitation,
      failures: [409, 422],
    },
    resendInvitation: {
      summary: 'Resend an invitation',
      description:
        'Returns 429 if the address got an email in the last five minutes or the daily limit is reached.',
      data: invitation,
      failures: [409],
    },
    revokeInvitation: {
      summary: 'Revoke an invitation',
      failures: [409],
    },
  });
}
