// An operation whose cost is measured, and the load of it.
import type { FunctionName } from '../functions/manifest.ts';
import type { Load, Target } from './load/load.ts';
import { MAPPED_CODES } from './stage.ts';

/** An operation of Placar. */
export interface Operation {
  name: string;
  function: FunctionName;
  /** The operation at an address of its function, where clients of records have this token. */
  target(url: string, token: string): Target;
  /** Of one request. */
  activities?: number;
}

/** What is measured besides operations. */
export const DELIVERY = 'webhook delivery';

const CONNECTIONS = 16;

export const loadOf = (target: Target, until: Load['until'], activities = 1): Load => ({
  target,
  activities,
  codes: MAPPED_CODES,
  concurrency: CONNECTIONS,
  until,
});
