// GET /invitations/accept?token=...: our own link in invitations of people whom Auth knows already. Their browser comes
// here, so there is no token of a client, and the answer is for a person.
import type { Database } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, refuseOtherMethods } from '../../shared/platform/http/app.ts';

const PATH = '/v1/invitations/accept';
const TOKEN = /^[0-9A-Za-z]{40}$/;

export function addAcceptance(app: App, database: Database): void {
  app.get(PATH, async (c) => {
    const token = c.req.query('token') ?? '';
    const accepted = TOKEN.test(token) && (await accept(database, token));
    if (!accepted) {
      throw new ApiError('not_found', 'This invitation is not open any more. Ask for another one.', {
        reason: 'invitation_missing',
      });
    }
    return c.text('Welcome! The invitation is accepted; you can close this page and sign in.');
  });
  refuseOtherMethods(app, PATH, ['GET', 'HEAD']);
}

async function accept(database: Database, token: string): Promise<boolean> {
  const [row] = await database.asOwner((sql) => sql`select app.accept_invitation(${token}) as accepted`);
  return row?.accepted === true;
}
