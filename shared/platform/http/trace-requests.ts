// Continues the caller's trace (W3C Trace Context), or begins one if tracing is on, and records the request's span.
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { ApiError } from '../errors.ts';
import type { RequestVariables } from '../request/request-context.ts';
import { runInScope } from '../tracing/scope.ts';
import { errorType, Span } from '../tracing/span.ts';
import { type Telemetry, Trace } from '../tracing/trace.ts';
import { newSpanId, newTraceId, parseTraceparent, parseTracestate } from '../tracing/traceparent.ts';
import { routeOf } from './log-requests.ts';

interface TraceRequestsOptions {
  telemetry: Telemetry | undefined;
  /** The health checks. */
  untracedPaths: ReadonlySet<string>;
}

/** Sets `trace` of the request context. Without a caller's trace, and with tracing off, it does nothing. */
export function traceRequests({
  telemetry,
  untracedPaths,
}: TraceRequestsOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  return async (c, next) => {
    const sent = c.req.header('traceparent');
    if (!telemetry && sent === undefined) return await next();
    const request = c.get('requestContext');
    const caller = parseTraceparent(sent);
    if ((!telemetry && !caller) || untracedPaths.has(request.path)) return await next();

    const trace = new Trace({
      id: caller?.traceId ?? newTraceId(),
      telemetry,
      callerSampled: caller?.sampled ?? false,
    });
    request.trace = trace;
    c.set('log', c.get('log').with({ trace_id: trace.id }));
    if (!trace.isRecording) return await runInScope({ trace, spanId: newSpanId() }, next);
    const span = new Span(trace, caller?.spanId, 'server', request.method);
    await runInScope({ trace, spanId: span.id, span }, next);
    describe(span, c);
    span.end();
    trace.close();
  };
}

/** Methods that span names may contain. Callers can invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function describe(span: Span, c: HonoContext<{ Variables: RequestVariables }>): void {
  const { trace } = span;
  const { method: sentMethod, tenantId, requestId } = c.get('requestContext');
  const { status } = c.res;
  const route = routeOf(c);
  const method = METHODS.has(sentMethod) ? sentMethod : '_OTHER';
  span.name = route === undefined ? method : `${method} ${route}`;
  span.set('http.request.method', method).set('http.route', route);
  span.set('http.response.status_code', status);
  span.set('placar.tenant_id', tenantId).set('placar.request_id', requestId);
  if (status === 401) trace.distrustCaller();
  if (trace.isCallerTrusted) span.state = parseTracestate(c.req.raw.headers.get('tracestate'));
  if (status >= 500) span.fail(c.error instanceof ApiError ? errorType(c.error) : 'internal_error');
}
