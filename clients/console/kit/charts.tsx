// Charts as SVG.
import type { FC } from 'hono/jsx';

export interface Bar {
  /** Text equivalent of the bar. */
  label: string;
  /** From the bottom up. */
  parts: [good: number, warn: number, bad: number];
}

const HEIGHT = 132;
const BAR = 14;
const GAP = 4;
const CLASSES = ['bar-good', 'bar-warn', 'bar-bad'];

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** A round upper bound for the axis: 4, 10, 20, 60. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

/** Stacked bars. `ticks` are evenly spaced labels of the time axis. */
export const Bars: FC<{ of: Bar[]; label: string; ticks: string[] }> = ({ of, label, ticks }) => {
  const top = niceTop(Math.max(...of.map(({ parts }) => sum(parts))));
  const width = of.length * (BAR + GAP) - GAP;
  const scale = (value: number) => (value / top) * HEIGHT;
  return (
    <figure class="chart">
      <div class="chart-plot">
        <span class="chart-top">{top}</span>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <line x1="0" x2={width} y1="0.5" y2="0.5" class="grid" />
          <line x1="0" x2={width} y1={HEIGHT / 2} y2={HEIGHT / 2} class="grid" />
          <line x1="0" x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} class="grid base" />
          {of.map(({ label: name, parts }, index) => (
            <g>
              <title>{name}</title>
              <rect x={index * (BAR + GAP)} y="0" width={BAR} height={HEIGHT} class="hover" />
              {parts.map((value, part) => {
                const below = scale(sum(parts.slice(0, part)));
                const height = scale(value);
                return (
                  value > 0 && (
                    <rect
                      x={index * (BAR + GAP)}
                      y={HEIGHT - below - height}
                      width={BAR}
                      height={height}
                      class={CLASSES[part] ?? ''}
                    />
                  )
                );
              })}
            </g>
          ))}
        </svg>
      </div>
      <div class="chart-ticks" aria-hidden="true">
        {ticks.map((tick) => (
          <span>{tick}</span>
        ))}
      </div>
    </figure>
  );
};

const LINE = { width: 96, height: 28 };

/** A small line chart without labels. */
export const Sparkline: FC<{ of: number[]; tone?: string }> = ({ of, tone = 'good' }) => {
  const top = Math.max(1, ...of);
  const step = LINE.width / Math.max(1, of.length - 1);
  const points = of.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(LINE.height - 2 - (value / top) * (LINE.height - 4)).toFixed(1)}`,
  );
  return (
    <svg
      class={`sparkline ${tone}`}
      viewBox={`0 0 ${LINE.width} ${LINE.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon points={`0,${LINE.height} ${points.join(' ')} ${LINE.width},${LINE.height}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
};
