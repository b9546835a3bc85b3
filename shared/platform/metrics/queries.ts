// SQL for metrics. The functions are in database/platform/metrics.sql.
import type { Sql, Statement } from '../db/database.ts';

export interface Sample {
  /** The name of a metric; for a histogram with `_bucket`, `_sum` or `_count`. */
  metric: string;
  labels: Record<string, string>;
  value: number;
}

/** Selects all samples in one statement, so that one statement timeout applies. */
export const selectSamples = (sql: Sql): Statement<Sample> => sql`
  select metric, labels, value from app.measure_counters()
  union all select metric, labels, value from app.measure_jobs()
  union all select metric, labels, value from app.measure_webhooks()
  union all select metric, labels, value from app.measure_payments()
  union all select metric, labels, value from app.measure_database()
  union all select metric, labels, value from app.measure_alerts()
  union all select metric, labels, value from app.measure_tenants()
  union all select metric, labels, value from app.measure_moves()`;

/** Limits the duration of the transaction's following statements. */
export const setStatementTimeout = (sql: Sql, timeoutMs: number): Statement =>
  sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`;

/** Adds the minutes that have ended to the counters. Does nothing if there is none. */
export const rollUpMinutes = (sql: Sql): Statement => sql`select app.roll_up_metrics()`;
