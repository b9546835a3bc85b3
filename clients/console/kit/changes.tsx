// Values of members of a lead or deal by name: what would change, and one side of a difference.
import type { FC } from 'hono/jsx';
import { asJson, asText, type Json } from '../api/json.ts';
import type { Directory } from '../api/workspace.ts';
import { labelOf } from '../resources/labels.ts';
import { decimal } from './format.ts';
import { t, tName } from './language.ts';

const CUSTOM = 'custom_fields.';

/** The name of a member, or of a custom field. */
export function memberName(name: string): string {
  if (name.startsWith(CUSTOM)) return name.slice(CUSTOM.length);
  // Elsewhere, a position is that of a player.
  return name === 'position' ? t('Job title') : labelOf({ name });
}

/** A value, with names in place of the ids of users and stages. */
function valueText(name: string, value: unknown, directory?: Directory): string {
  const known = name === 'owner_id' ? directory?.users : name === 'stage_id' ? directory?.stages : undefined;
  const found = known?.find(({ id }) => id === value);
  if (found) return asText(found.name);
  if (typeof value === 'number') return decimal(value);
  if (name === 'status') return tName(asText(value));
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  return Array.isArray(value) ? value.map((one) => asText(one)).join(', ') : asText(value);
}

const NOTHING = '–';

const changesOf = (fields: unknown, directory?: Directory) =>
  Object.entries(asJson(fields)).map(([name, pair]) => {
    const [before, after] = Array.isArray(pair) ? pair : [];
    return {
      name: memberName(name),
      before: valueText(name, before, directory),
      after: valueText(name, after, directory) || NOTHING,
    };
  });

export const changesText = (fields: unknown, directory?: Directory): string =>
  changesOf(fields, directory)
    .map(({ name, before, after }) => `${name}: ${before ? `${before} → ` : ''}${after}`)
    .join('; ');

/** Each member with its value, and the one that it would get. */
export const Changes: FC<{ of: unknown; directory?: Directory | undefined }> = ({ of, directory }) => (
  <ul class="changes">
    {changesOf(of, directory).map(({ name, before, after }) => (
      <li>
        <span class="muted">{name}</span>{' '}
        {before && (
          <>
            <del>{before}</del> <span aria-hidden="true">→</span>{' '}
          </>
        )}
        <ins>{after}</ins>
      </li>
    ))}
  </ul>
);

/** One side of a difference: a value, or several members of the record. */
export function sideText(row: Json, name: string, directory?: Directory): string {
  const [field, value] = [asText(row.field), row[name]];
  if (field !== '' || typeof value !== 'object' || value === null) return valueText(field, value, directory);
  return Object.entries(value)
    .map(([member, one]) => `${memberName(member)}: ${valueText(member, one, directory) || NOTHING}`)
    .join('; ');
}
