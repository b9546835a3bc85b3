// GET /invitations/accept?token=...: our own link in invitations of people whom Auth knows already. Their browser comes
// here, so there is no token of a client, and the answer is for a person.
import type { Database } from '../../shared/platform/db/database.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { acceptInvitation } from '../../shared/records/invitations/accept.ts';

const PATH = '/v1/invitations/accept';

export function mountAcceptInvitation(app: App, database: Database): void {
  app.get(PATH, async (c) => {
    // Mail filters look at links this way; looking accepts nothing.
    if (c.req.raw.method === 'HEAD') return c.text('');
    await acceptInvitation(database, c.req.query('token') ?? '');
    return c.text('Welcome! The invitation is accepted; you can close this page and sign in.');
  });
  refuseOtherMethods(app, PATH, ['GET', 'HEAD']);
}
