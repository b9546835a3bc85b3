import type { BatchKind } from '../batch/batch.ts';
import { columns } from './create.ts';
import { newActivity } from './schema.ts';

export const activityBatch: BatchKind = {
  source: 'deal_activities',
  methods: ['create'],
  columns: { created: columns, changed: [] },
  create: (read) => read(newActivity),
  change: () => ({}),
};
