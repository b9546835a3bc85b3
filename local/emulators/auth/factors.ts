// Second factors: TOTP (RFC 6238) with an authenticator app.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { Secret, TOTP } from 'otpauth';
import type postgres from 'postgres';
import encodeQR from 'qr';
import { z } from 'zod';
import { requireUser, type SignedIn } from './authentication.ts';
import { type AuthContext, originOf } from './context.ts';
import { AuthError, readBody, validationFailed } from './errors.ts';
import { swapToken } from './refresh.ts';
import { addMethod, renderSession, type SessionRow } from './sessions.ts';
import type { UserRow } from './users.ts';

const CHALLENGE_SECONDS = 300;
/** After this time, an unverified factor makes room for a new one. */
const UNVERIFIED_SECONDS = 300;
const MAX_FACTORS = 10;
/** A code of the previous or next 30 seconds is also valid. */
const WINDOW = 1;

const Enrollment = z.object({
  factor_type: z.string().optional(),
  friendly_name: z.string().default(''),
  issuer: z.string().optional(),
});
const Verification = z.object({ challenge_id: z.uuid(), code: z.string().default('') });

interface FactorRow {
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

export function createFactors(auth: AuthContext): Hono<SignedIn> {
  const { sql, tokens } = auth;
  const app = new Hono<SignedIn>();
  app.use('/factors/*', requireUser(auth));
  app.use('/factors', requireUser(auth));

  const factorOf = async (c: Context<SignedIn>): Promise<FactorRow> => {
    const id = z.uuid().safeParse(c.req.param('id'));
    if (!id.success) throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID');
    const [factor] = await sql<FactorRow[]>`
      select * from auth.mfa_factors where id = ${id.data} and user_id = ${c.get('user').id}`;
    if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found');
    return factor;
  };

  app.post('/factors', async (c) => {
    const { factor_type: type, friendly_name: name, issuer } = await readBody(c, Enrollment);
    if (type === 'phone' || type === 'webauthn') throw disabled(type);
    if (type !== 'totp') throw validationFailed('factor_type needs to be totp, phone, or webauthn');
    const user = c.get('user');
    await checkEnrollment(sql, user, c.get('session'), name);
    const secret = new Secret({ size: 20 });
    const factor = await createFactor(sql, user, name, secret.base32);
    const label = user.email ?? '';
    const uri = new TOTP({ issuer: issuer || new URL(auth.siteUrl).host, label, secret }).toString();
    const totp = { qr_code: encodeQR(uri, 'svg'), secret: secret.base32, uri };
    return c.json({ id: factor, type: 'totp', friendly_name: name, totp });
  });

  app.post('/factors/:id/challenge', async (c) => {
    const factor = await factorOf(c);
    const now = new Date();
    const challenge = {
      id: randomUUID(),
      factor_id: factor.id,
      created_at: now,
      ip_address: originOf(c).ip,
    };
    await sql.begin(async (tx) => {
      await tx`insert into auth.mfa_challenges ${tx(challenge)}`;
      await tx`update auth.mfa_factors set last_challenged_at = ${now} where id = ${factor.id}`;
    });
    const expiresAt = Math.floor(now.getTime() / 1000) + CHALLENGE_SECONDS;
    return c.json({ id: challenge.id, type: factor.factor_type, expires_at: expiresAt });
  });

  app.post('/factors/:id/verify', async (c) => {
    const factor = await factorOf(c);
    const { challenge_id: challengeId, code } = await readBody(c, Verification);
    if (!code) throw validationFailed('Code needs to be non-empty');
    const challenge = await findChallenge(sql, factor, challengeId, originOf(c).ip);
    const totp = new TOTP({ secret: Secret.fromBase32(factor.secret) });
    if (totp.validate({ token: code, window: WINDOW }) === null)
      throw new AuthError(422, 'mfa_verification_failed', 'Invalid TOTP code entered');
    const session = c.get('session');
    const response = await sql.begin(async (tx) => {
      const refreshToken = await raiseSession(tx, session, factor, challenge);
      return renderSession(tx, tokens, c.get('user'), session.id, refreshToken);
    });
    return c.json(response);
  });

  app.delete('/factors/:id', async (c) => {
    const factor = await factorOf(c);
    if (factor.status === 'verified' && c.get('session').aal !== 'aal2')
      throw new AuthError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor');
    await sql.begin((tx) => removeFactor(tx, factor));
    return c.json({ id: factor.id });
  });

  return app;
}

const disabled = (type: 'phone' | 'webauthn') =>
  new AuthError(
    422,
    `mfa_${type}_enroll_not_enabled`,
    `MFA enroll is disabled for ${type === 'phone' ? 'Phone' : 'WebAuthn'}`,
  );

/** Throws 422 for a taken name or too many factors, and 403 if a new factor requires the existing one. */
async function checkEnrollment(
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

async function createFactor(sql: postgres.Sql, user: UserRow, name: string, secret: string): Promise<string> {
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
async function findChallenge(
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
async function raiseSession(
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
async function removeFactor(tx: postgres.TransactionSql, factor: FactorRow): Promise<void> {
  await tx`delete from auth.mfa_factors where id = ${factor.id}`;
  await tx`
    delete from auth.mfa_amr_claims
     where authentication_method = 'totp'
       and session_id in (select id from auth.sessions where factor_id = ${factor.id})`;
  await tx`
    update auth.sessions set aal = 'aal1', factor_id = null
     where user_id = ${factor.user_id} and factor_id = ${factor.id}`;
}
