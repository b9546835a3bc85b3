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
  changes: 'M10 5.5V10l3 2M4 6a7 7 0 1 1-1 4m1-4V2.5M4 6h3.5',
  webhooks: 'M7 8a3.5 3.5 0 1 1 5 3l-3 4.5M8 9l-4 6h8m0 0a2 2 0 1 0 4 0 2 2 0 0 0-4 0Z',
  gamification: 'm10 2.5 2.3 4.8 5.2.7-3.8 3.7.9 5.3-4.6-2.5L5.4 17l.9-5.3L2.5 8l5.2-.7z',
  automations: 'M11 2.5 4.5 11H10l-1 6.5L15.5 9H10z',
  access: 'M12 8a4 4 0 1 0-3.2 3.9L10 13h2v2h2v2h3v-3l-4.3-4.3A4 4 0 0 0 12 8ZM7.5 7.5h.01',
  persons: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 7a6 6 0 0 1 12 0',
  crm: 'M7.5 12.5 12.5 7.5M9 5l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 15l-2 2a3.5 3.5 0 0 1-5-5l2-2',
  settings: 'M3 6h8m4 0h2M3 14h2m4 0h8M11 4v4M7 12v4',
  lock: 'M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3',
  menu: 'M3 5h14M3 10h14M3 15h14',
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
