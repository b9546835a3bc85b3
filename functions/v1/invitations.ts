// /invitations
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { invitationList } from '../../shared/records/invitations/list.ts';
import { resendInvitation } from '../../shared/records/invitations/resend.ts';
import { revokeInvitation } from '../../shared/records/invitations/revoke.ts';
import { recordsEndpoint } from './endpoint.ts';

const userWrites = () => import('../../shared/records/users/writes.ts');
const read = { scopes: ['read:users'], body: 'none', resource: 'invitation' } as const;
const write = { scopes: ['write:users'], body: 'required', resource: 'invitation' } as const;

export const invitationEndpoints = {
  listInvitations: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/invitations',
    handle: (request) => request.list('invitation', invitationList),
  }),
  createInvitation: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/invitations',
    // The body is that of a new user.
    resource: 'user',
    async handle(request) {
      const { newUser, inviteUser } = await userWrites();
      const input = request.parse(newUser);
      return request.record(
        201,
        'invitation',
        async (context) => (await inviteUser(context, input)).invitation,
      );
    },
  }),
  resendInvitation: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/invitations/:id/resend',
    body: 'optional',
    handle: (request) =>
      request.record(200, 'invitation', (context) => resendInvitation(context, request.params.id)),
  }),
  revokeInvitation: recordsEndpoint({
    ...write,
    method: 'delete',
    path: '/invitations/:id',
    body: 'none',
    handle: (request) => request.noContent((context) => revokeInvitation(context, request.params.id)),
  }),
} satisfies Endpoints;
