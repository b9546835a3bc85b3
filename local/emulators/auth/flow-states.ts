// PKCE (RFC 7636): a link leads to a code, which only the program that requested the link can exchange.
import { createHash, randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { z } from 'zod';
import { constantTimeEqual } from '../../../shared/platform/crypto.ts';
import { AuthError, validationFailed } from './errors.ts';

/** Prefix of the hash in links whose program uses PKCE. */
export const PKCE_PREFIX = 'pkce_';
const LIFETIME_MS = 5 * 60 * 1000;

export interface Challenge {
  code_challenge?: string | undefined;
  code_challenge_method?: string | undefined;
}

/** Members of a request that begins a flow. */
export const challengeMembers = {
  code_challenge: z
    .string()
    .nullish()
    .transform((value) => value || undefined),
  code_challenge_method: z
    .string()
    .nullish()
    .transform((value) => value || undefined),
};

interface FlowState {
  id: string;
  user_id: string | null;
  auth_code: string;
  code_challenge: string;
  code_challenge_method: 's256' | 'plain';
  authentication_method: string;
  created_at: Date;
  auth_code_issued_at: Date | null;
}

/** Throws 400 `validation_failed` for an incomplete or malformed challenge. */
export function checkChallenge({
  code_challenge: challenge,
  code_challenge_method: method,
}: Challenge): void {
  if ((challenge === undefined) !== (method === undefined))
    throw validationFailed('PKCE flow requires code_challenge_method and code_challenge');
  if (challenge === undefined || method === undefined) return;
  if (challenge.length < 43 || challenge.length > 128)
    throw validationFailed('code challenge has to be between 43 and 128 characters');
  if (!/^[\w.~-]+$/.test(challenge)) {
    throw validationFailed(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    );
  }
  if (!/^(s256|plain)$/i.test(method))
    throw validationFailed(`unsupported code_challenge method "${method}"`);
}

/** Stores the challenge of a user who requested a link. Without a challenge, nothing. */
export async function beginFlow(
  sql: postgres.ISql,
  userId: string,
  method: string,
  challenge: Challenge,
): Promise<void> {
  if (challenge.code_challenge === undefined) return;
  const now = new Date();
  const flow = {
    id: randomUUID(),
    user_id: userId,
    auth_code: randomUUID(),
    code_challenge: challenge.code_challenge,
    code_challenge_method: challenge.code_challenge_method?.toLowerCase() ?? 's256',
    provider_type: method,
    authentication_method: method,
    created_at: now,
    updated_at: now,
  };
  await sql`insert into auth.flow_state ${sql(flow)}`;
}

/** The code of the user's latest flow. Throws 400 `flow_state_not_found`. */
export async function issueCode(sql: postgres.ISql, userId: string, method: string): Promise<string> {
  const [flow] = await sql<FlowState[]>`
    update auth.flow_state set auth_code_issued_at = now(), updated_at = now()
     where id = (select id from auth.flow_state
                  where user_id = ${userId} and authentication_method = ${method}
                  order by created_at desc limit 1)
    returning *`;
  if (!flow) throw new AuthError(400, 'flow_state_not_found', 'No associated flow state found.');
  return flow.auth_code;
}

/** Consumes a code. Throws 404, 422 or 400 for an unknown code, an expired one, or a wrong verifier. */
export async function redeemCode(
  sql: postgres.ISql,
  code: string,
  verifier: string,
): Promise<{ userId: string; method: string }> {
  const [flow] = await sql<FlowState[]>`select * from auth.flow_state where auth_code = ${code} for update`;
  if (!flow?.user_id) {
    throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
  }
  // The person may take a while to open the email of a sign-in, so its code's lifetime starts then.
  const since = (flow.authentication_method === 'magiclink' && flow.auth_code_issued_at) || flow.created_at;
  if (since.getTime() + LIFETIME_MS < Date.now())
    throw new AuthError(422, 'flow_state_expired', 'invalid flow state, flow state has expired');
  const given =
    flow.code_challenge_method === 'plain'
      ? verifier
      : createHash('sha256').update(verifier).digest('base64url');
  if (!constantTimeEqual(given, flow.code_challenge)) {
    throw new AuthError(
      400,
      'bad_code_verifier',
      'code challenge does not match previously saved code verifier',
    );
  }
  await sql`delete from auth.flow_state where id = ${flow.id}`;
  return { userId: flow.user_id, method: flow.authentication_method };
}
