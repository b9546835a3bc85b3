// All metrics with their types and descriptions. `docs/operations/metrics.md` has the same list.

export interface Metric {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
}

const counter = (name: string, help: string): Metric => ({ name, type: 'counter', help });
const gauge = (name: string, help: string): Metric => ({ name, type: 'gauge', help });
const histogram = (name: string, help: string): Metric => ({ name, type: 'histogram', help });

/** In the order of the response. The database measures all except `placar_build_info`: see `queries.ts`. */
export const METRICS: readonly Metric[] = [
  gauge('placar_build_info', 'The version of the function that responded. Always 1.'),
  counter('placar_requests_total', 'Requests by function and response status.'),
  counter(
    'placar_requests_refused_total',
    'Requests that were answered with an error, by function and reason.',
  ),
  histogram('placar_request_duration_seconds', 'Duration of requests by function.'),
  histogram(
    'placar_database_wait_seconds',
    'Time that requests waited for a database connection of their worker, without requests that did not wait.',
  ),
  gauge('placar_jobs_due', 'Jobs that are due and not running.'),
  gauge('placar_jobs_oldest_due_seconds', 'How long the oldest of these jobs has been due.'),
  gauge('placar_jobs_running', 'Jobs that are running.'),
  gauge('placar_jobs_given_up', 'Jobs that failed permanently and are still kept.'),
  counter('placar_jobs_finished_total', 'Finished jobs.'),
  gauge('placar_sweep_last_run_timestamp_seconds', 'When the sweep last ran.'),
  gauge('placar_metrics_summed_timestamp_seconds', 'Until when counters and histograms are complete.'),
  gauge(
    'placar_webhook_deliveries_pending',
    'Webhook deliveries that are not sent yet, without paused webhooks.',
  ),
  gauge('placar_webhook_oldest_pending_seconds', 'Age of the oldest of these deliveries.'),
  counter('placar_webhook_deliveries_total', 'Webhook deliveries that succeeded or failed permanently.'),
  gauge('placar_webhook_endpoints', 'Webhooks by status.'),
  gauge('placar_provider_accounts', 'Accounts at payment providers by status.'),
  gauge(
    'placar_orders_unknown',
    'Orders whose outcome at the provider has been unknown for more than a minute.',
  ),
  gauge('placar_payouts_waiting', 'Payouts that wait for approval or funding.'),
  gauge('placar_database_connections', 'Connections of clients by state.'),
  gauge('placar_database_connections_max', 'Connections that clients can open.'),
  gauge('placar_database_size_bytes', 'Size of the database.'),
  gauge('placar_database_oldest_transaction_seconds', 'Age of the oldest open transaction.'),
  gauge('placar_database_read_only', '1 if the database accepts no writes, else 0.'),
  gauge('placar_table_size_bytes', 'Size of the 20 largest tables with their indexes.'),
  gauge('placar_table_dead_rows', 'Dead rows in these tables.'),
  gauge('placar_alerts', 'Rows of each alert that is on.'),
  gauge('placar_tenants', 'Tenants by plan.'),
  gauge('placar_tenant_moves', 'Moves of tenants by state.'),
];
