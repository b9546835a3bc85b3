import type { BatchKind } from '../batch/batch.ts';
import { batchMethods } from '../batch/batch.ts';
import { columns as created, withDefaults } from './create.ts';
import { leadChange, newLead } from './schema.ts';
import { columns as changed, checkStatus } from './update.ts';

export const leadBatch: BatchKind = {
  source: 'leads',
  methods: batchMethods,
  columns: { created, changed },
  create: (read) => withDefaults(read(newLead)),
  change(read) {
    const change = read(leadChange);
    checkStatus(change);
    return change;
  },
};
