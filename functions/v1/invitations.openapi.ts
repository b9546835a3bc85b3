// OpenAPI descriptions of invitations.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { invitationStatuses } from '../../shared/records/invitations/states.ts';
import type { invitationEndpoints } from './invitations.ts';
import { created, describeIn, listOf, paging } from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

const tag = 'Invitations';
const params = ['id'] as const;

export function invitationOperations(schemas: Schemas): OperationsOf<typeof invitationEndpoints> {
  const { id: variant, invitation } = schemas;
  const describe = describeIn(variant);
  return {
    listInvitations: describe({
      tag,
      summary: 'List invitations',
      query: z.object({
        ...paging(variant, ['invited_at']),
        ...created,
        status: z.enum(invitationStatuses).optional(),
      }),
      data: z.array(invitation),
      list: listOf(variant),
    }),
    createInvitation: describe({
      tag,
      summary: 'Invite a user',
      body: schemas.newUser,
      status: 201,
      data: invitation,
      writes: true,
      failures: [409, 422],
    }),
    resendInvitation: describe({
      tag,
      summary: 'Resend an invitation',
      description:
        'Returns 429 if the address got an email in the last five minutes or the daily limit is reached.',
      params,
      data: invitation,
      writes: true,
      failures: [404, 409],
    }),
    revokeInvitation: describe({
      tag,
      summary: 'Revoke an invitation',
      params,
      writes: true,
      failures: [404, 409],
    }),
  };
}
