// GET /invitations/accept?token=...: the link in invitation emails for people who already have an Auth account. It is opened in a
// browser, so the request has no access token. The response leads to the console on the web if there is one, else it is text for a person.

import { redirectMovedLink } from '../../shared/platform/access/tenant-moves.ts';
import { createUnknownCallerLimit } from '../../shared/platform/access/unknown-caller-limit.ts';
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import type { JobDependencies } from '../../shared/platform/jobs/job.ts';
import { Query } from '../../shared/platform/query.ts';

const PATH = '/v1/invitations/accept';

export function mountAcceptInvitation(
  app: App,
  dependencies: Pick<JobDependencies, 'database' | 'queue'>,
  consoleUrl?: string,
): void {
  const unknownCallerLimit = createUnknownCallerLimit();
  addRoute(app, 'get', PATH, async (c) => {
    // Email filters prefetch links with HEAD, which must not accept the invitation.
    if (c.req.raw.method === 'HEAD') return c.text('');
    const { pathname, search } = new URL(c.req.url);
    const token = new Query(search.slice(1)).take(['token']).get('token') ?? '';
    const uncountAttempt = unknownCallerLimit.attempt(c.var.requestContext.address);
    await redirectMovedLink(dependencies.database, { kind: 'invitation', token }, pathname + search);
    const { acceptInvitation } = await import('../../shared/records/invitations/writes.ts');
    await acceptInvitation({ ...dependencies, log: c.get('log') }, token);
    uncountAttempt();
    if (consoleUrl !== undefined) return c.redirect(`${consoleUrl}/sign-in`, 303);
    return c.text('Welcome! The invitation is accepted. You can close this page and sign in.');
  });
}
