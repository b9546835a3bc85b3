// Explains to the person why an API call of a page failed.
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ConnectionError, PlacarError, TimeoutError } from '../../typescript/src/errors.ts';
import { NoCredentials } from '../api/page-api.ts';
import { ApiText } from '../kit/api-words.tsx';
import { t, tCount } from '../kit/language.ts';

export interface Failure {
  status: ContentfulStatusCode;
  title: string;
  text: Child;
  /** Seconds to wait before the next attempt. */
  retryAfter?: number | undefined;
}

const DEFAULT_RETRY_SECONDS = 5;

const isUnreachable = (error: unknown): boolean =>
  error instanceof ConnectionError || error instanceof TimeoutError;

/** Undefined for errors of the console itself. */
export function failureOf(error: unknown, url: string): Failure | undefined {
  if (error instanceof NoCredentials)
    return {
      status: 403,
      title: t('No access'),
      text: t(
        error.interface === 'payments'
          ? 'This page needs an API key. Restart the console with PLACAR_API_KEY.'
          : 'This page needs a client. Restart the console with PLACAR_CLIENT_ID and PLACAR_CLIENT_SECRET.',
      ),
    };
  if (!(error instanceof PlacarError)) return undefined;
  if (isUnreachable(error))
    return {
      status: 504,
      title: t('The deployment is unreachable'),
      text: (
        <>
          {t('No response from {url}.', { url })} <span lang="en">{error.said}</span>
        </>
      ),
      retryAfter: DEFAULT_RETRY_SECONDS,
    };
  const { status = 502, said, requestId } = error;
  const seconds = Math.ceil(error.retryAfter ?? DEFAULT_RETRY_SECONDS);
  if (status === 401 || error.code === 'invalid_client')
    return {
      status: 401,
      title: t('The credentials are no longer accepted'),
      text: t('Enter new credentials in the terminal that runs the console, then reload this page.'),
    };
  const again = tCount(seconds, 'Try again in {count} second.', 'Try again in {count} seconds.');
  if (status === 429)
    return {
      status: 429,
      title: t('Too many requests'),
      text: `${t('The limit of the plan is used up.')} ${again}`,
      retryAfter: seconds,
    };
  if (status === 503)
    return {
      status: 503,
      title: t('Temporarily unavailable'),
      text: `${t('The deployment cannot respond at the moment.')} ${again}`,
      retryAfter: seconds,
    };
  return {
    // The page returns all other statuses of the API unchanged.
    status: (status >= 400 ? status : 502) as ContentfulStatusCode,
    title: t(status === 403 ? 'No access' : 'The deployment refused the request'),
    text: (
      <>
        <ApiText of={said} /> {requestId && <RequestId id={requestId} />}
      </>
    ),
  };
}

export const RequestId = ({ id }: { id: string }) => (
  <span class="muted small">
    {t('Request id')} <code>{id}</code>
  </span>
);
