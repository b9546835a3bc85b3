// Rows of auth.mfa_factors and auth.mfa_challenges.
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { AuthError } from './errors.ts';
import { swapToken } from './refresh.ts';
import { addMethod, type SessionRow } from './sessions.ts';
import type { UserRow } from './users.ts';

export const CHALLENGE_SECONDS = 300;
/** After this time, an unverified factor makes room for a new one. */
const UNVERIFIED_SECONDS = 300;
const MAX_FACTORS = 10;

export interface FactorRow {
  id: string;
  user_id: string;
  friendly_name: string | null;
  factor_type: string;
  status: 'verified' | 'unverified';
  secret: string;
}

interface ChallengeRow {
  id: string;
  created_at: Date;
  verified_at: Date | null;
  ip_address: string;
}

/** Throws 422 for a taken name or too many factors, and 403 if a new factor requires the existing one. */
export async function checkEnrollment(
  sql: postgres.Sql,
  user: UserRow,
  session: SessionRow,
  name: string,
): Promise<void> {
  await sql`
    delete from auth.mfa_factors
     where user_id = ${user.id} and status <> 'verified'
       and created_at < now() - make_interval(secs => ${UNVERIFIED_SECONDS})`;
  const factors = await sql<FactorRow[]>`select * from auth.mfa_factors where user_id = ${user.id}`;
  if (factors.some((factor) => (factor.friendly_name ?? '') === name)) {
    throw new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${name}" for this user already exists`,
    );
  }
  if (factors.length >= MAX_FACTORS) {
    throw new AuthError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    );
  }
  if (factors.some(({ status }) => status === 'verified') && session.aal !== 'aal2')
    throw new AuthError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor');
}

export async function createFactor(
  sql: postgres.Sql,
  user: UserRow,
  name: string,
  secret: string,
): Promise<string> {
  const now = new Date();
  const factor = {
    id: randomUUID(),
    user_id: user.id,
    friendly_name: name,
    factor_type: 'totp',
    status: 'unverified',
    created_at: now,
    updated_at: now,
    secret,
  };
  await sql`insert into auth.mfa_factors ${sql(factor)}`;
  return factor.id;
}

/** Throws 422 for a challenge that is unknown, used, expired, or was created for another address. */
export async function findChallenge(
  sql: postgres.Sql,
  factor: FactorRow,
  id: string,
  ip: string,
): Promise<ChallengeRow> {
  const [challenge] = await sql<ChallengeRow[]>`
    select *, host(ip_address) as ip_address from auth.mfa_challenges
     where id = ${id} and factor_id = ${factor.id}`;
  if (!challenge) {
    throw new AuthError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found');
  }
  if (challenge.verified_at !== null || challenge.ip_address !== ip) {
    throw new AuthError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.');
  }
  if (challenge.created_at.getTime() + CHALLENGE_SECONDS * 1000 < Date.now()) {
    await sql`delete from auth.mfa_challenges where id = ${id}`;
    const message = `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`;
    throw new AuthError(422, 'mfa_challenge_expired', message);
  }
  return challenge;
}

/** Raises a session to aal2 and ends the user's sessions below it. Returns the next refresh token. */
export async function raiseSession(
  tx: postgres.TransactionSql,
  session: SessionRow,
  factor: FactorRow,
  challenge: ChallengeRow,
): Promise<string> {
  await tx`update auth.mfa_challenges set verified_at = now() where id = ${challenge.id}`;
  await tx`update auth.mfa_factors set status = 'verified', updated_at = now() where id = ${factor.id}`;
  await addMethod(tx, session.id, 'totp');
  const [current] = await tx<{ token: string }[]>`
    select token from auth.refresh_tokens
     where session_id = ${session.id} and not revoked order by created_at limit 1 for update`;
  if (!current) throw new AuthError(400, 'refresh_token_not_found', 'Refresh Token Not Found');
  const refreshToken = await swapToken(tx, current.token, session);
  await tx`
    update auth.sessions set aal = 'aal2', factor_id = ${factor.id}, updated_at = now()
     where id = ${session.id}`;
  await tx`delete from auth.sessions where user_id = ${session.user_id} and aal < 'aal2'`;
  await tx`
    delete from auth.mfa_factors
     where user_id = ${session.user_id} and status = 'unverified' and factor_type = 'totp'`;
  return refreshToken;
}

/** Removes a factor. Sessions that it raised go back to aal1. */
export async function removeFactor(tx: postgres.TransactionSql, factor: FactorRow): Promise<void> {
  await tx`delete from auth.mfa_factors where id = ${factor.id}`;
  await tx`
    delete from auth.mfa_amr_claims
     where authentication_method = 'totp'
       and session_id in (select id from auth.sessions where factor_id = ${factor.id})`;
  await tx`
    update auth.sessions set aal = 'aal1', factor_id = null
     where user_id = ${factor.user_id} and factor_id = ${factor.id}`;
}
