// Schemas of runs of CRMs, of what previews list, and of differences, in the admin API.
import { z } from 'zod';
import { runPhases } from '../../connectors/run-phases.ts';
import { anyValue } from '../../platform/validation.ts';
import { count, flagFilter, nullable, oneOf, time } from '../fields.ts';

const runKinds = ['preview', 'import', 'reconcile', 'compare'] as const;
const runStatuses = ['queued', 'running', 'waiting', 'done', 'failed', 'canceled'] as const;
const actions = ['create', 'update', 'link', 'skip'] as const;
const differenceKinds = [
  'missing_email',
  'duplicate_email',
  'unknown_owner',
  'unmapped_stage',
  'invalid_value',
  'changed_here',
  'refused_there',
  'deleted_there',
  'read_failed',
] as const;

export const runInput = z
  .object({
    kind: oneOf(runKinds).describe(
      'preview: lists what an import would do. import: reads all records silently. reconcile: reads what changed. ' +
        'compare: finds deletions.',
    ),
  })
  .meta({ id: 'CrmRunInput' });
export const runFilters = z.object({
  kind: oneOf(runKinds).optional().describe('Only runs of this kind.'),
  status: oneOf(runStatuses).optional().describe('Only runs with this status.'),
});
export const run = z
  .object({
    id: z.string(),
    account_id: z.string(),
    kind: z.enum(runKinds),
    status: z.enum(runStatuses),
    phase: z.enum(runPhases),
    read: count.describe('Leads, deals and activities. The numbers below are parts of it.'),
    created: count,
    updated: count,
    linked: count,
    unchanged: count,
    skipped: count,
    failed: count,
    waiting_until: time.nullable(),
    error: nullable,
    created_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: 'CrmRun' });

export const previewFilters = z.object({
  kind: oneOf(['lead', 'deal']).optional().describe('Only leads, or only deals.'),
  action: oneOf(actions).optional().describe('Only records to which this would happen.'),
});
export const previewRow = z
  .object({
    id: z.string(),
    kind: z.enum(['lead', 'deal']),
    action: z
      .enum(actions)
      .describe('link: the record is here with the same values. update: it is here with other values.'),
    name: nullable,
    crm_id: z.string(),
    placar_id: nullable,
    fields: z
      .record(z.string(), z.array(z.unknown()))
      .nullable()
      .describe('Members that would change, each with its value and the one that it would get.'),
    reason: nullable.describe('Why the record would be skipped.'),
  })
  .meta({ id: 'CrmPreviewRow' });

export const differenceFilters = z.object({
  resolved: flagFilter.describe('false: differences that are still there.'),
  kind: oneOf(differenceKinds).optional().describe('Only differences of this kind.'),
  record: oneOf(['lead', 'deal', 'activity']).optional().describe('Only differences of this kind of record.'),
});
export const difference = z
  .object({
    id: z.string(),
    account_id: z.string(),
    kind: z.enum(differenceKinds),
    record: z.enum(['lead', 'deal', 'activity']),
    crm_id: nullable,
    placar_id: nullable,
    name: nullable.describe('Name of the lead or deal in Placar.'),
    field: z.string().describe('The member that differs; empty for the whole record.'),
    ours: z.unknown().meta(anyValue),
    theirs: z.unknown().meta(anyValue),
    resolvable: z
      .boolean()
      .describe('Whether you can choose a side. Others are resolved by themselves once their cause is gone.'),
    found_at: time,
    resolved_at: time.nullable(),
  })
  .meta({ id: 'CrmDifference' });
export const resolution = z
  .object({
    take: oneOf(['ours', 'theirs']).describe(
      'The side whose value is written on the other. `theirs` of a record that was deleted in the CRM deletes it here.',
    ),
  })
  .meta({ id: 'CrmResolution' });
