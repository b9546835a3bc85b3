// Whether a function has telemetry, and its log lines about dropped spans.
import { expect, test, vi } from 'vitest';
import type { LogFields, Logger } from '../../../../shared/platform/logger.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
// Telemetry loads it by itself, which would otherwise go on after the test.
import '../../../../shared/platform/telemetry/exporter.ts';
import { createTelemetry, type TelemetrySettings } from '../../../../shared/platform/telemetry/telemetry.ts';

const settings: TelemetrySettings = {
  APP_ENV: 'staging',
  LOG_LEVEL: 'warn',
  CLIENT_ADDRESS_HEADER: '',
  UNKNOWN_CALLER_ROWS: 1,
  DOCS_URL: 'https://placar.dev',
  OTEL_SERVICE_NAME: 'placar',
  OTEL_TRACES_SAMPLER_ARG: 0.5,
};

test('does nothing without an endpoint', () => {
  expect(createTelemetry(settings, 'v1', silentLogger)).toBeUndefined();
});

test('dropped spans are logged once a minute, with their number', () => {
  vi.useFakeTimers();
  const lines: [string, LogFields | undefined][] = [];
  const log: Logger = { ...silentLogger, warn: (message, fields) => void lines.push([message, fields]) };
  const telemetry = createTelemetry(
    { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    'v1',
    log,
  );
  expect(telemetry?.sampleRatio).toBe(0.5);
  const drop = (spans: number) => telemetry?.countDropped(spans);
  drop(5);
  drop(2);
  drop(3);
  expect(lines).toEqual([['spans dropped', { spans: 5 }]]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toEqual([['spans dropped', { spans: 5 }]]);
  vi.advanceTimersByTime(120_000);
  expect(lines).toHaveLength(2);
  drop(1);
  expect(lines.slice(2)).toEqual([['spans dropped', { spans: 1 }]]);
  vi.useRealTimers();
});
