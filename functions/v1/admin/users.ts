// Operations of the admin API: what users may do after signing in.
import { getUserAccess, listUsers } from '../../../shared/administration/users/reads.ts';
import { accessChange, accessFilters, userAccess } from '../../../shared/administration/users/schema.ts';
import { setUserAccess } from '../../../shared/administration/users/writes.ts';
import { operation } from './operation.ts';

const writes = { scopes: ['manage:access'] } as const;
const reads = { ...writes, method: 'get' } as const;

export const userOperations = {
  listUserAccess: operation({
    ...reads,
    path: '/users',
    summary: 'List users and their access',
    form: 'page',
    query: accessFilters,
    data: userAccess,
    run: ({ query, paging }, context) => listUsers(context, query.access, paging),
  }),
  getUserAccess: operation({
    ...reads,
    path: '/users/:id/access',
    summary: 'Get the access of a user',
    data: userAccess,
    versioned: true,
    run: ({ params }, context) => getUserAccess(context, params.id),
  }),
  setUserAccess: operation({
    ...writes,
    method: 'put',
    path: '/users/:id/access',
    summary: 'Set the access of a user',
    description:
      'By a preset or by scopes. Your token must have each scope that the user has before or after, except those of `seller`. Ends the tokens of the user.',
    body: accessChange,
    data: userAccess,
    versioned: true,
    run: ({ params, body, versions }, context) => setUserAccess(context, { ref: params.id, versions }, body),
  }),
};
