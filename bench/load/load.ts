// What the load process is told and what it tells.

/** A request as it is; `MARK` in its body differs each time. */
export interface PlainRequest {
  method: string;
  /** Taken in turn. */
  paths: string[];
  headers: Record<string, string>;
  /** Taken in turn. */
  bodies?: string[];
  /** Text that only an answer about a failure has, where the status does not say it. */
  failure?: string;
}

export type Target =
  | { kind: 'http'; url: string; apiKey: string }
  /** The statements of a sync alone, without a function. */
  | { kind: 'sql'; databaseUrl: string; apiKey: string }
  /** A signed request of payments, the same each time but for its key. */
  | { kind: 'signed'; url: string; path: string; apiKey: string; body?: string }
  | { kind: 'plain'; url: string; request: PlainRequest };

export interface Load {
  target: Target;
  /** Activities of one request. */
  activities: number;
  /** Codes that the activities take in turn. */
  codes: string[];
  concurrency: number;
  /** The load ends after this many seconds, or this many requests. */
  until: { seconds: number } | { requests: number };
}

export interface Measured {
  requests: number;
  failed: number;
  /** Text of one failure, if any. */
  failure?: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export type Reply = { measured: Measured } | { error: string };
