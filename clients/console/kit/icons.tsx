// Icons of the console: strokes on a grid of 20.
import type { FC } from 'hono/jsx';

const PATHS = {
  overview: 'M3 16V9m5 7V4m5 12v-5m4 5V7',
  requests: 'M3 6h11m0 0-3-3m3 3-3 3M17 14H6m0 0 3-3m-3 3 3 3',
  events: 'M10 3v3m0 8v3m7-7h-3M6 10H3m9.5 0a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z',
  jobs: 'M10 5.5V10l3 2m4-2a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z',
  mail: 'M3 5h14v10H3zM3 6l7 5 7-5',
  standings: 'M6 3h8v5a4 4 0 0 1-8 0zM6 4H3v1a3 3 0 0 0 3 3m8-4h3v1a3 3 0 0 1-3 3m-4 4v3m-3 2h6',
  records: 'M3 4h4v12H3zm5 0h4v8H8zm5 0h4v5h-4z',
  payments: 'M2.5 5h15v10h-15zm0 3.5h15M5 12h3',
  reference: 'M7 5 2.5 10 7 15m6-10 4.5 5-4.5 5',
  theme: 'M10 3a7 7 0 1 0 7 7 5 5 0 0 1-7-7Z',
  pix: 'm10 3 7 7-7 7-7-7zm-3.5 7h7',
  boleto: 'M3 4v12M6 4v12m2 0V4m4 0v12m2-12v12m3-12v12',
  card: 'M2.5 5h15v10h-15zm0 3.5h15M5 12h3',
  done: 'm4 10.5 4 4 8-9',
  failed: 'm5 5 10 10M15 5 5 15',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon: FC<{ of: IconName }> = ({ of }) => (
  <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d={PATHS[of]} />
  </svg>
);
