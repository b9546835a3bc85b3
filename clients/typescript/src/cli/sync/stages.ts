// The column `stage` of deals in variant A, whose API accepts only `stage_id`.
import type { Variant } from '../../records.ts';
import type { KindName } from './kind.ts';
import type { Line } from './lines.ts';
import type { NamedLine } from './send.ts';

export const STAGE = 'stage';

export interface Stage {
  id: string;
  name: string;
}

export const needsStageIds = (kind: KindName, variant: Variant): boolean =>
  kind === 'deals' && variant === 'a';

/** Replaces the name (case-insensitive) or id of the stage with `stage_id`. Skips lines whose stage does not exist. */
export function withStageIds(lines: readonly Line[], stages: readonly Stage[]) {
  const idOf = new Map(
    stages.flatMap(({ id, name }) => [[id, id] as const, [name.toLowerCase(), id] as const]),
  );
  const found: Line[] = [];
  const skipped: NamedLine[] = [];
  for (const line of lines) {
    const { [STAGE]: stage, ...item } = line.item;
    const id = idOf.get(String(stage).trim().toLowerCase());
    if (stage === undefined) found.push(line);
    else if (id !== undefined) found.push({ ...line, item: { ...item, stage_id: id } });
    else
      skipped.push({
        line: line.number,
        externalId: String(item.external_id),
        reason: `stage does not exist. The stages are: ${stages.map(({ name }) => name).join(', ')}`,
      });
  }
  return { found, skipped };
}
