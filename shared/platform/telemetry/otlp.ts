// Encodes spans as OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
import { type Span, spanKinds } from '../tracing/span.ts';
import { VERSION } from '../version.ts';
import type { TelemetrySettings } from './telemetry.ts';

/** The enum `StatusCode`. */
const STATUS_ERROR = 2;

type Value = { stringValue: string } | { intValue: string } | { doubleValue: number };

const encodeValue = (value: string | number): Value => {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

const attributesOf = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));

/** Nanoseconds since 1970, as text, because they exceed the integers that a number can represent. */
function nanosecondsOf(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}

const spanOf = ({ trace, id, parentId, state, name, kind, startMs, endMs, attributes, hasFailed }: Span) => ({
  traceId: trace.id,
  spanId: id,
  ...(parentId && { parentSpanId: parentId }),
  ...(state && { traceState: state }),
  name,
  kind: spanKinds[kind],
  startTimeUnixNano: nanosecondsOf(startMs),
  endTimeUnixNano: nanosecondsOf(endMs),
  attributes: attributesOf(attributes),
  ...(hasFailed && { status: { code: STATUS_ERROR } }),
});

/** Creates the function that encodes a batch. All batches of a worker have the same resource. */
export function createEncoder(
  env: TelemetrySettings,
  functionName: string,
): (spans: readonly Span[]) => string {
  const resource = {
    attributes: attributesOf({
      'service.version': VERSION,
      'deployment.environment.name': env.APP_ENV,
      'faas.name': functionName,
      ...Object.fromEntries(env.OTEL_RESOURCE_ATTRIBUTES ?? []),
      'service.name': env.OTEL_SERVICE_NAME,
    }),
  };
  const scope = { name: 'placar', version: VERSION };
  return (spans) =>
    JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }] });
}
