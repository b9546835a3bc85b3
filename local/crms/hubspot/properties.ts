/** Values of properties: validation, and what follows from a change. */
import type { Row } from '../shared.ts';
import { invalid } from './errors.ts';
import type { Account, HubspotObject, Kind, Property } from './state.ts';

type Checked = { value: string } | { error: string };

/** The value as it is kept, or the code of its error. */
function checked(
  { owners, pipelines }: Account,
  { type, options, readOnly }: Property,
  text: string,
): Checked {
  const accept = (isValid: boolean, error: string, value = text): Checked =>
    isValid ? { value } : { error };
  const toTime = () => {
    const time = new Date(/^\d+$/.test(text) ? Number(text) : text);
    return accept(
      !Number.isNaN(time.getTime()),
      'INVALID_DATE',
      Number.isNaN(time.getTime()) ? '' : time.toISOString(),
    );
  };
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  const isIn = (list: readonly { id: string }[]) => list.some(({ id }) => id === text);
  const checks: Record<string, () => Checked> = {
    number: () => accept(!Number.isNaN(Number(text)), 'INVALID_NUMBER'),
    email: () => accept(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), 'INVALID_EMAIL', text.toLowerCase()),
    datetime: toTime,
    enumeration: () =>
      accept(
        options.some(({ value }) => value === text),
        'INVALID_OPTION',
      ),
    owner: () => accept(isIn(owners), 'INVALID_OWNER_ID'),
    pipeline: () => accept(isIn(pipelines), 'INVALID_OPTION'),
    stage: () => accept(isIn(stages), 'INVALID_OPTION'),
  };
  if (readOnly) return { error: 'READ_ONLY_VALUE' };
  return text === '' ? { value: text } : (checks[type]?.() ?? { value: text });
}

/** The values as they are kept: an empty text as null. Throws a refusal that names each invalid property. */
export function validated(account: Account, kind: Kind, values: Row): Record<string, string | null> {
  const errors: Row[] = [];
  const entries = Object.entries(values).map(([name, given]): [string, string | null] => {
    const property = account.properties[kind].find((one) => one.name === name);
    const result = property
      ? checked(account, property, String(given ?? ''))
      : { error: 'PROPERTY_DOESNT_EXIST' };
    if ('value' in result) return [name, result.value === '' ? null : result.value];
    errors.push({ isValid: false, error: result.error, name, message: `${name}: ${result.error}` });
    return [name, null];
  });
  if (errors.length === 0) return Object.fromEntries(entries);
  throw invalid(`Property values were not valid: ${JSON.stringify(errors)}`, {
    errors: errors.map(({ message, error, name }) => ({
      message,
      code: error,
      context: { propertyName: [name] },
    })),
  });
}

/** Properties that follow from a change of a deal's stage, or of a task's status. */
export function follow(
  { pipelines }: Account,
  kind: Kind,
  properties: HubspotObject['properties'],
  change: Row,
  now: string,
): void {
  if (kind === 'tasks' && 'hs_task_status' in change)
    properties.hs_task_completion_date = change.hs_task_status === 'COMPLETED' ? now : null;
  if (kind !== 'deals' || !('dealstage' in change || 'pipeline' in change)) return;
  const pipeline = pipelines.find(({ id }) => id === properties.pipeline);
  const stage = pipeline?.stages.find(({ id }) => id === properties.dealstage);
  if (stage === undefined)
    throw invalid(`${properties.dealstage} is not a stage of pipeline ${properties.pipeline}`);
  const isClosed = stage.metadata.isClosed === 'true';
  if (isClosed && properties.hs_is_closed !== 'true' && !('closedate' in change)) properties.closedate = now;
  properties.hs_is_closed = String(isClosed);
  properties.hs_is_closed_won = String(isClosed && Number(stage.metadata.probability) === 1);
}
