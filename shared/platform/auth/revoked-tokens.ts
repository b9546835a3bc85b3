// Tokens that were ended before their time. What is ended is asked with whether the client is: `app.admit_client`.
import type { Database } from '../db/database.ts';
import type { AccessToken } from './access-tokens.ts';

/** Ends a client's token from the next request on; without one it asks the database all the same. */
export async function revokeAccessToken(
  database: Database,
  clientId: string,
  token: AccessToken | undefined,
): Promise<void> {
  await database.asOwner(
    'writes',
    (sql) => sql`
      select app.revoke_token(${clientId}, ${token?.tokenId ?? null}::uuid, ${token?.expiresAt ?? null}::timestamptz)`,
  );
}
