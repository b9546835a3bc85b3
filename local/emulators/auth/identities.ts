// Rows of auth.identities: how a user can sign in.
import type postgres from 'postgres';

export interface IdentityRow {
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: Record<string, postgres.JSONValue>;
  provider: string;
  last_sign_in_at: Date | null;
  created_at: Date | null;
  updated_at: Date | null;
  email: string | null;
}

/** Stores the identity of a user who signs in with an email address. */
export async function createIdentity(sql: postgres.ISql, userId: string, email: string): Promise<void> {
  const now = new Date();
  const identity = {
    provider_id: userId,
    user_id: userId,
    provider: 'email',
    identity_data: { sub: userId, email, email_verified: false, phone_verified: false },
    last_sign_in_at: now,
    created_at: now,
    updated_at: now,
  };
  await sql`insert into auth.identities ${sql(identity)}`;
}

/** Changes the data of the user's email identity, such as the address. */
export async function changeIdentity(
  sql: postgres.ISql,
  userId: string,
  data: { email?: string; email_verified: boolean },
): Promise<void> {
  await sql`
    update auth.identities
       set identity_data = identity_data || ${sql.json(data)}, updated_at = now()
     where user_id = ${userId} and provider = 'email'`;
}

/** Renders an identity as JSON, with the names that the client library expects. */
export function toIdentity({ id, provider_id, email, ...row }: IdentityRow) {
  return { ...row, identity_id: id, id: provider_id, email: email ?? undefined };
}
