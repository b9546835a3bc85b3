// The text format of Prometheus, version 0.0.4.
import type { Metric } from './catalog.ts';
import type { Sample } from './queries.ts';

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Formats samples, grouped by metric in the order of `metrics`, with at most `maxSeries` series. Samples of other metrics are left out.
 * A metric without samples still has its description.
 */
export function formatSamples(
  metrics: readonly Metric[],
  samples: readonly Sample[],
  maxSeries: number,
): { text: string; omitted: number } {
  const byName = new Map<string, Sample[]>();
  for (const sample of samples) {
    const same = byName.get(sample.metric);
    if (same) same.push(sample);
    else byName.set(sample.metric, [sample]);
  }
  let series = 0;
  let omitted = 0;
  const lines = metrics.flatMap(({ name, type, help }) => {
    const own = namesOf(name, type).flatMap((member) => (byName.get(member) ?? []).toSorted(byBound));
    const shown = own.slice(0, Math.max(0, maxSeries - series));
    series += shown.length;
    omitted += own.length - shown.length;
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...shown.map(formatSample)];
  });
  return { text: `${lines.join('\n')}\n`, omitted };
}

/** Buckets are ordered by their upper bound. */
const byBound = ({ labels: a }: Sample, { labels: b }: Sample): number => boundOf(a) - boundOf(b);
const boundOf = ({ le = '0' }: Sample['labels']): number => (le === '+Inf' ? Number.MAX_VALUE : Number(le));

const namesOf = (name: string, type: Metric['type']): string[] =>
  type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];

function formatSample({ metric, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${metric}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
