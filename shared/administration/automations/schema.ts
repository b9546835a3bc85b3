// Schemas of stages, automations and their runs in the admin API.
import { z } from 'zod';
import { jsonObject, required } from '../../platform/validation.ts';
import { eventTypes } from '../../records/events/event-types.ts';
import { count, flag, id, integer, name, oneOf, time } from '../fields.ts';

export const newStage = z
  .object({
    name,
    position: integer(-1_000_000, 1_000_000).describe('Stages are sorted by position.'),
    probability: integer(0, 100).describe('Percent.'),
  })
  .meta({ id: 'NewStage' });
export const stageChange = newStage.partial().meta({ id: 'StageChange' });
export const adminStage = z
  .object({ id, name: z.string(), position: z.int(), probability: z.int(), deals: count, created_at: time })
  .meta({ id: 'AdminStage' });

const MAX_RULE_BYTES = 4 * 1024;
const rule = jsonObject(MAX_RULE_BYTES);
const conditions = z
  .array(rule, { error: 'must be an array of conditions' })
  .max(20, { error: 'must have at most 20 items' })
  .describe(
    'All must be met: `field`, a dotted path in the data of the event, `op` (eq, ne, gt, lt, in, contains) and `value`.',
  );
const actions = z
  .array(rule, {
    error: required('must be an array of actions'),
  })
  .min(1, { error: 'must have at least one item' })
  .max(20, { error: 'must have at most 20 items' })
  .describe(
    'In order: `type` add_tag (`tag`), assign_owner (`user`: id or email), move_stage (`stage`: id or name), create_activity ' +
      '(`activity_type`, `description`) or award_points (`points`).',
  );
export const newAutomation = z
  .object({
    name,
    event: oneOf(eventTypes),
    conditions: conditions.optional(),
    actions,
    active: flag.optional(),
  })
  .meta({ id: 'NewAutomation' });
export const automationChange = newAutomation.partial().meta({ id: 'AutomationChange' });
const stored = z.array(z.looseObject({}));
export const automation = z
  .object({
    id,
    name: z.string(),
    event: z.string(),
    conditions: stored,
    actions: stored,
    active: z.boolean(),
    created_at: time,
  })
  .meta({ id: 'Automation' });
export const automationRun = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event: z.string(),
    depth: z.int().describe('Number of automations in the chain that caused the event; 0 if none did.'),
    matched: z.boolean().describe('Whether the conditions were met.'),
    outcome: z.enum(['not_matched', 'done', 'failed']),
    actions: z.array(z.looseObject({})),
    error: z
      .string()
      .nullable()
      .describe(
        'The first condition that was not met and the value it was compared with, or why the actions failed.',
      ),
    created_at: time,
  })
  .meta({ id: 'AutomationRun' });
