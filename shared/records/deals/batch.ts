import { type BatchKind, batchMethods } from '../batch/batch.ts';
import { columns as created, withDefaults } from './create.ts';
import { dealChange, newDeal } from './schema.ts';
import { columns as changed } from './update.ts';

export const dealBatch: BatchKind = {
  source: 'deals',
  methods: batchMethods,
  columns: { created, changed },
  create: (read) => withDefaults(read(newDeal)),
  change: (read) => read(dealChange),
};
