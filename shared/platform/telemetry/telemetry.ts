// Sets up the export of spans. Only workers with an endpoint load the exporter.
import { unref, waitUntil } from '../background.ts';
import type { Env } from '../env.ts';
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../tracing/trace.ts';
import type { Exporter } from './exporter.ts';

export type TelemetrySettings = Env<'app' | 'telemetry'>;

/** Interval between two log lines about dropped spans. */
const REPORT_MS = 60_000;

/** Creates the telemetry of a function. Undefined if no endpoint is set. */
export function createTelemetry(
  env: TelemetrySettings,
  functionName: string,
  log: Logger,
): Telemetry | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: sampleRatio } = env;
  if (endpoint === undefined) return undefined;
  const countDropped = createDropCounter(log);
  let exporter: Exporter | undefined;
  const loading = import('./exporter.ts').then(({ createExporter }) => {
    exporter = createExporter({ endpoint, env, functionName, countDropped });
    return exporter;
  });
  return {
    sampleRatio,
    countDropped,
    exportSpans(spans) {
      if (exporter) exporter.add(spans);
      else waitUntil(async () => (await loading).add(spans));
    },
  };
}

/** Counts dropped spans and logs their number, at most once a minute. */
function createDropCounter(log: Logger): (spans: number) => void {
  let dropped = 0;
  let isReporting = false;
  const report = () => {
    isReporting = dropped > 0;
    if (!isReporting) return;
    log.warn('spans dropped', { spans: dropped });
    dropped = 0;
    unref(setTimeout(report, REPORT_MS));
  };
  return (spans) => {
    dropped += spans;
    if (!isReporting) report();
  };
}
