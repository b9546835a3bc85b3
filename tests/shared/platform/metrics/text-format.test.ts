// The text format of metrics.
import { expect, test } from 'vitest';
import { formatSamples } from '../../../../shared/platform/metrics/text-format.ts';

const gauge = { name: 'g', type: 'gauge', help: 'A gauge.' } as const;
const histogram = { name: 'h', type: 'histogram', help: 'A histogram.' } as const;

test('a histogram has its buckets in order, then sum and count; others have only their own samples', () => {
  const bucket = (le: string) => ({ metric: 'h_bucket', labels: { le }, value: 1 });
  const { text } = formatSamples(
    [histogram, gauge],
    [
      ...[bucket('+Inf'), bucket('10'), bucket('2.5')],
      ...[
        { metric: 'h_count', labels: {}, value: 1 },
        { metric: 'h_sum', labels: {}, value: 0.5 },
      ],
      ...[
        { metric: 'g_sum', labels: {}, value: 1 },
        { metric: 'g', labels: { a: 'x', b: 'y' }, value: 1e21 },
      ],
    ],
    10,
  );
  expect(text).toBe(`# HELP h A histogram.
# TYPE h histogram
h_bucket{le="2.5"} 1
h_bucket{le="10"} 1
h_bucket{le="+Inf"} 1
h_sum 0.5
h_count 1
# HELP g A gauge.
# TYPE g gauge
g{a="x",b="y"} 1e+21
`);
});

test('label values are escaped', () => {
  const { text } = formatSamples([gauge], [{ metric: 'g', labels: { a: 'x\\ "\n' }, value: 1 }], 10);
  expect(text).toContain('g{a="x\\\\ \\"\\n"} 1\n');
});

test('series above the maximum are omitted and counted', () => {
  const samples = ['a', 'b', 'c'].map((a) => ({ metric: 'g', labels: { a }, value: 1 }));
  const { text, omitted } = formatSamples(
    [gauge, histogram],
    [...samples, { metric: 'h_sum', labels: {}, value: 1 }],
    2,
  );
  expect(omitted).toBe(2);
  expect(text.match(/^[gh]\w*[{ ]/gm)).toHaveLength(2);
});
