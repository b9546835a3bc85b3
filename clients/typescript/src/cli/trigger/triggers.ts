// All triggers by event type.
import type { Trigger } from './context.ts';
import { gamificationTriggers } from './gamification.ts';
import { paymentTriggers } from './payments.ts';
import { recordTriggers } from './records.ts';
import { refundTriggers } from './refunds.ts';

export const triggers: Readonly<Record<string, Trigger>> = {
  ...paymentTriggers,
  ...refundTriggers,
  ...recordTriggers,
  ...gamificationTriggers,
};
