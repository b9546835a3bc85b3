// POST /token with the grant token-exchange (RFC 8693): a person exchanges the access token of a session of Supabase Auth for one of ours.
import {
  PERSON_TOKEN_LIFETIME_SECONDS,
  type TokenIssuer,
} from '../../shared/platform/access/access-tokens.ts';
import type { AuthTokens } from '../../shared/platform/access/auth-tokens.ts';
import { type SignedIn, signIn } from '../../shared/platform/access/persons.ts';
import { type Counter, limits, rejectExcess } from '../../shared/platform/access/request-counter.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { RequestContext } from '../../shared/platform/request/request-context.ts';
import { readAudience, scopesFor } from './grants.ts';
import { ACCESS_TOKEN, SUBJECT_TYPES } from './metadata.ts';
import { invalidRequest, type TokenParameters } from './parameters.ts';

export interface ExchangeDependencies {
  issuer: TokenIssuer;
  authTokens: AuthTokens;
  database: Database;
  counter: Counter;
}

interface ExchangeRequest {
  parameters: TokenParameters;
  request: Request;
  requestContext: RequestContext;
  log: Logger;
}

/** Throws 400, 421, 429 and 503. */
export async function exchangeToken(dependencies: ExchangeDependencies, exchange: ExchangeRequest) {
  const { issuer } = dependencies;
  const { parameters, requestContext } = exchange;
  const subjectToken = readSubjectToken(exchange);
  const audience = readAudience(issuer, parameters);
  const { subject, tenant } = await findPerson(dependencies, exchange, subjectToken);
  Object.assign(requestContext, { tenantId: tenant.id, userId: subject.person?.userId });
  const scopes = scopesFor(issuer.resourceServerOf(audience), subject.scopes, parameters.scope, 'You have');
  return {
    access_token: await issuer.issue({ ...subject, scopes }, audience),
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: PERSON_TOKEN_LIFETIME_SECONDS,
    scope: scopes.join(' '),
    tenant,
  } as const;
}

/** Throws `invalid_request`. */
function readSubjectToken({ parameters, request }: ExchangeRequest): string {
  // Libraries send the id of a client also if it has no secret. It has no effect.
  if (request.headers.has('authorization') || parameters.client_secret)
    throw invalidRequest('Send no credentials with this grant: the subject token is enough.');
  const { subject_token: token, subject_token_type: type, requested_token_type: wanted } = parameters;
  if (parameters.actor_token || parameters.actor_token_type)
    throw invalidRequest('An actor token is not supported.');
  if (!token) throw invalidRequest('The parameter subject_token is missing.');
  if (!type) throw invalidRequest('The parameter subject_token_type is missing.');
  if (!SUBJECT_TYPES.some((known) => known === type))
    throw invalidRequest(`The parameter subject_token_type must be one of ${SUBJECT_TYPES.join(', ')}.`);
  if (wanted && wanted !== ACCESS_TOKEN)
    throw invalidRequest(`The parameter requested_token_type must be ${ACCESS_TOKEN}.`);
  return token;
}

/**
 * Verifies the token, and finds the person in the workspace. Tokens that Auth did not issue count against their address; what the database
 * refuses counts only against the account, so that nobody can shut out others of the same address.
 */
async function findPerson(
  { authTokens, counter, database }: ExchangeDependencies,
  { parameters, requestContext, log }: ExchangeRequest,
  subjectToken: string,
): Promise<SignedIn> {
  const address = requestContext.address ?? '';
  const countAddress = (how: 'peek' | 'count') =>
    address === '' ? undefined : counter[how]('tokenAddress', address, log);
  rejectExcess(await countAddress('peek'), limits.tokenAddress.max - 1, 'Too many failed attempts.');
  const session = await authTokens.verify(subjectToken).catch(async (error: unknown) => {
    if (error instanceof ApiError && error.code === 'validation')
      rejectExcess(await countAddress('count'), limits.tokenAddress.max, 'Too many failed attempts.');
    throw error;
  });
  const { accountId } = session;
  const [exchanges, failures] = await Promise.all([
    counter.count('exchange', accountId, log),
    counter.peek('exchangeFailure', accountId, log),
  ]);
  rejectExcess(exchanges, limits.exchange.max, 'Too many exchanges.');
  rejectExcess(failures, limits.exchangeFailure.max - 1, 'Too many failed exchanges.');
  return await signIn(database, session, parameters.tenant).catch(async (error: unknown) => {
    if (error instanceof ApiError && ['validation', 'invalid_target'].includes(error.code))
      // Also stops those of many exchanges at once, which all looked before the first of them failed.
      rejectExcess(
        await counter.count('exchangeFailure', accountId, log),
        limits.exchangeFailure.max,
        'Too many failed exchanges.',
      );
    throw error;
  });
}
