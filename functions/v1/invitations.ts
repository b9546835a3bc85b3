// Endpoints of /invitations.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/invitations/reads.ts');
const writes = () => import('../../shared/records/invitations/writes.ts');
const userWrites = () => import('../../shared/records/users/writes.ts');
const read = { scopes: ['read:users'], body: 'none', resource: 'invitation' } as const;
const write = { scopes: ['write:users'], body: 'required', resource: 'invitation' } as const;

export const invitationEndpoints = {
  listInvitations: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/invitations',
    handle: async (request) => request.list('invitation', (await reads()).invitationList),
  }),
  createInvitation: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/invitations',
    // The body is the same as for a new user.
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
    async handle(request) {
      const { resendInvitation } = await writes();
      return request.record(200, 'invitation', (context) => resendInvitation(context, request.params.id));
    },
  }),
  revokeInvitation: recordsEndpoint({
    ...write,
    method: 'delete',
    path: '/invitations/:id',
    body: 'none',
    async handle(request) {
      const { revokeInvitation } = await writes();
      return request.noContent((context) => revokeInvitation(context, request.params.id));
    },
  }),
} satisfies Endpoints;
