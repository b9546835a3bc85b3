import { parseInstant } from './instants.ts';

/** Whether this is a day that exists, as `YYYY-MM-DD`. */
export const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && parseInstant(`${value}T00:00:00Z`) !== undefined;
