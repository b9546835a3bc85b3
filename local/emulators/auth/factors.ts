// Second factors: TOTP (RFC 6238) with an authenticator app.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { Secret, TOTP } from 'otpauth';
import encodeQR from 'qr';
import { z } from 'zod';
import { requireUser, type SignedIn } from './authentication.ts';
import { type AuthContext, originOf } from './context.ts';
import { AuthError, readBody, validationFailed } from './errors.ts';
import {
  CHALLENGE_SECONDS,
  checkEnrollment,
  createFactor,
  type FactorRow,
  findChallenge,
  raiseSession,
  removeFactor,
} from './factor-rows.ts';
import { renderSession } from './sessions.ts';

/** A code of the previous or next 30 seconds is also valid. */
const WINDOW = 1;

const Enrollment = z.object({
  factor_type: z.string().optional(),
  friendly_name: z.string().default(''),
  issuer: z.string().optional(),
});
const Verification = z.object({ challenge_id: z.uuid(), code: z.string().default('') });

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
