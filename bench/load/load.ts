// Messages to and from the load process.

/** A complete request. `MARK` in its body is replaced by a unique value. */
export interface PlainRequest {
  method: string;
  /** Used in rotation. */
  paths: string[];
  headers: Record<string, string>;
  /** Used in rotation. */
  bodies?: string[];
  /** Text that marks a failed response with a successful status. */
  failure?: string;
}

export type Target =
  | { kind: 'http'; url: string; apiKey: string }
  /** Only the statements of a sync, without a function. */
  | { kind: 'sql'; databaseUrl: string; apiKey: string }
  /** A signed payments request, constant except for its idempotency key. */
  | { kind: 'signed'; url: string; path: string; apiKey: string; body?: string }
  | { kind: 'plain'; url: string; request: PlainRequest };

export interface Load {
  target: Target;
  /** Activities per request. */
  activities: number;
  /** Activity codes, used in rotation. */
  codes: string[];
  concurrency: number;
  /** The load ends after this many seconds or requests. */
  until: { seconds: number } | { requests: number };
}

export interface Measured {
  requests: number;
  failed: number;
  /** Message of one failure, if any. */
  failure?: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export type Reply = { measured: Measured } | { error: string };
