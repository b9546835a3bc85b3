// Exchanges a person's token of Auth for a token of the API.
import { functionsUrl } from '../../typescript/src/core/options.ts';
import { ConnectionError, errorOf, type PlacarError } from '../../typescript/src/errors.ts';
import { asJson, asRows, asText } from '../api/json.ts';

export interface WorkspaceName {
  slug: string;
  name: string;
}

export interface ExchangedToken {
  token: string;
  scopes: readonly string[];
  workspace: WorkspaceName;
  lifeMs: number;
}

const REASONS = [
  'subject_token_invalid',
  'subject_token_expired',
  'not_a_member',
  'mfa_required',
  'workspace_needed',
  'workspace_unknown',
] as const;
export type ExchangeReason = (typeof REASONS)[number];

/** The deployment gives this person no token. */
export class ExchangeRefused extends Error {
  readonly reason: ExchangeReason;
  /** Those that the person may choose, if the choice was the problem. */
  readonly workspaces: readonly WorkspaceName[];
  constructor(reason: ExchangeReason, workspaces: readonly WorkspaceName[]) {
    super(reason);
    this.reason = reason;
    this.workspaces = workspaces;
  }
}

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TIMEOUT_MS = 30_000;

/** Without `tenant`: the only workspace of the person. Throws `ExchangeRefused` or a `PlacarError`. */
export type Exchange = (subjectToken: string, tenant: string | undefined) => Promise<ExchangedToken>;

/** `url`: of the project or of its functions. */
export function createExchange(url: string, program: string): Exchange {
  const endpoint = `${functionsUrl(url)}/oauth/token`;
  return async (subjectToken, tenant) => {
    const body = new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      ...(tenant !== undefined && { tenant }),
    });
    const response = await fetch(endpoint, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { Accept: 'application/json', 'User-Agent': program },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new ConnectionError('The token endpoint does not answer.', {
        code: 'connection_failed',
        cause: error,
      });
    });
    const answer = asJson(await response.json().catch(() => ({})));
    if (!response.ok) throw failure(response, answer);
    const { id: _, ...workspace } = asJson(answer.tenant);
    return {
      token: asText(answer.access_token),
      scopes: asText(answer.scope).split(' ').filter(Boolean),
      workspace: nameOf(workspace),
      lifeMs: Number(answer.expires_in) * 1000,
    };
  };
}

const nameOf = (workspace: unknown): WorkspaceName => {
  const { slug, name } = asJson(workspace);
  return { slug: asText(slug), name: asText(name) };
};

function failure(response: Response, answer: Record<string, unknown>): ExchangeRefused | PlacarError {
  const reason = REASONS.find((one) => one === answer.reason);
  if (response.status === 400 && reason) {
    return new ExchangeRefused(reason, asRows(answer.workspaces).map(nameOf));
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return errorOf(asText(answer.error_description) || `The token endpoint answers ${response.status}.`, {
    code: asText(answer.error) || 'invalid_answer',
    status: response.status,
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  });
}
