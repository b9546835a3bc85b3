// Serializes pipeline stages for responses.
import type { StageRecord } from './queries.ts';
import type { StageResponse } from './schema.ts';

export const serializeStage = (stage: StageRecord): StageResponse => ({
  id: stage.id,
  name: stage.name,
  position: stage.position,
  probability: stage.probability,
});
