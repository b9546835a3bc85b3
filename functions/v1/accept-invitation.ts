// GET /invitations/accept?token=...: our own link in invitations of people whom Auth knows already. Their browser comes
// here, so there is no token of a client, and the answer is for a person.

import { createUnknownCallerLimit } from '../../shared/platform/access/unknown-caller-limit.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import type { JobDependencies } from '../../shared/platform/jobs/job.ts';
import { Query } from '../../shared/platform/query.ts';

const PATH = '/v1/invitations/accept';

export function mountAcceptInvitation(
  app: App,
  dependencies: Pick<JobDependencies, 'database' | 'queue'>,
): void {
  const unknown = createUnknownCallerLimit();
  app.get(PATH, async (c) => {
    // Mail filters look at links this way; looking accepts nothing.
    if (c.req.raw.method === 'HEAD') return c.text('');
    const token = new Query(new URL(c.req.url).searchParams).take(['token']).get('token') ?? '';
    const isKnown = unknown.attempt(c.var.requestContext.address);
    const { acceptInvitation } = await import('../../shared/records/invitations/writes.ts');
    await acceptInvitation({ ...dependencies, log: c.get('log') }, token);
    isKnown();
    return c.text('Welcome! The invitation is accepted; you can close this page and sign in.');
  });
  refuseOtherMethods(app, PATH, ['GET', 'HEAD']);
}
