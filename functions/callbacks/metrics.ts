// GET /metrics: the figures of the deployment in the format of Prometheus, for the operator's monitoring.
import { constantTimeEqual } from '../../shared/platform/crypto.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, rejectOtherMethods } from '../../shared/platform/http/app.ts';
import { createMetrics, type MetricsOptions } from '../../shared/platform/metrics/metrics.ts';
import { CONTENT_TYPE } from '../../shared/platform/metrics/text-format.ts';
import { challengeHeader } from '../../shared/platform/request/error-formats.ts';

const PATH = '/callbacks/metrics';

/** Adds no route without a token. */
export function addMetrics(app: App, options: MetricsOptions, token: string | undefined): void {
  if (!token) return;
  const readMetrics = createMetrics(options);
  app.get(PATH, async (c, next) => {
    // Hono routes HEAD here.
    if (c.req.method !== 'GET') return await next();
    const sent = c.req.header('authorization');
    if (!sent || !constantTimeEqual(sent, `Bearer ${token}`)) throw unauthorized(sent);
    c.get('requestContext').trusted = true;
    return c.body(await readMetrics(), 200, { 'Content-Type': CONTENT_TYPE, 'Cache-Control': 'no-store' });
  });
  rejectOtherMethods(app, PATH, ['GET']);
}

function unauthorized(sent: string | undefined): ApiError {
  return new ApiError(
    'unauthorized',
    'The token is missing or invalid. Send METRICS_TOKEN as bearer token.',
    {
      reason: sent ? 'bad_token' : 'missing',
      headers: { 'WWW-Authenticate': challengeHeader(['Bearer']) },
    },
  );
}
