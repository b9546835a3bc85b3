// Operations whose cost is measured, and their loads.
import type { FunctionName } from '../functions/manifest.ts';
import type { Load, Target } from './load/load.ts';
import { MAPPED_CODES } from './stage.ts';

/** An operation of Placar. */
export interface Operation {
  name: string;
  function: FunctionName;
  /** The target of the operation at a function's URL. `token` is for records. */
  target(url: string, token: string): Target;
  /** Per request. */
  activities?: number;
}

/** Measured in addition to operations. */
export const DELIVERY = 'webhook delivery';

const CONNECTIONS = 16;

export const loadOf = (target: Target, until: Load['until'], activities = 1): Load => ({
  target,
  activities,
  codes: MAPPED_CODES,
  concurrency: CONNECTIONS,
  until,
});
