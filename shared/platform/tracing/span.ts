// A span: one operation of a trace. Only exported traces have spans.
import type { Trace } from './trace.ts';
import { newSpanId } from './traceparent.ts';

/** The enum `SpanKind` of OpenTelemetry. */
export const spanKinds = { server: 2, client: 3, producer: 4, consumer: 5 } as const;
export type SpanKind = keyof typeof spanKinds;

/** All attributes of spans. None of them may contain data of callers, ids in paths or secrets. */
type SpanAttribute =
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  | 'error.type'
  | 'server.address'
  | 'placar.tenant_id'
  | 'placar.request_id'
  | 'placar.job.attempt'
  | 'placar.db.role'
  | 'placar.db.waited_ms';

const nowMs = (): number => performance.timeOrigin + performance.now();

export class Span {
  readonly trace: Trace;
  readonly id = newSpanId();
  readonly parentId: string | undefined;
  readonly kind: SpanKind;
  name: string;
  /** Milliseconds since 1970, with fractions. */
  readonly startMs = nowMs();
  endMs = 0;
  /** The caller's `tracestate`. */
  state: string | undefined;
  hasFailed = false;
  readonly attributes: Partial<Record<SpanAttribute, string | number>> = {};

  constructor(trace: Trace, parentId: string | undefined, kind: SpanKind, name: string) {
    this.trace = trace;
    this.parentId = parentId;
    this.kind = kind;
    this.name = name;
  }

  /** Sets an attribute. Undefined and null are ignored. */
  set(attribute: SpanAttribute, value: string | number | null | undefined): this {
    if (value !== undefined && value !== null) this.attributes[attribute] = value;
    return this;
  }

  /** Marks the operation as failed. `type` is the name of an error or a status. */
  fail(type: string): this {
    this.hasFailed = true;
    return this.set('error.type', type);
  }

  /** Records the response of another service. */
  respond(status: number): this {
    this.set('http.response.status_code', status);
    return status >= 400 ? this.fail(String(status)) : this;
  }

  end(): void {
    this.endMs = nowMs();
    this.trace.add(this);
  }

  /** Ends the span with the work. If the work fails, the span does too. */
  async endWith<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!this.hasFailed) this.fail(errorType(error));
      throw error;
    } finally {
      this.end();
    }
  }
}

const MAX_ERROR_TYPE_LENGTH = 64;

/** A short name for the kind of an error: its reason, code or class. Never its message, which may contain data. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const { reason, code } = error as { reason?: unknown; code?: unknown };
  const known = [reason, code].find((name) => typeof name === 'string' && name !== '');
  return String(known ?? error.name).slice(0, MAX_ERROR_TYPE_LENGTH);
}
