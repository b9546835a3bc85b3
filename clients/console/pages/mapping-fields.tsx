// A choice for each thing of a record in a form, such as a stage here for each stage of a CRM.
import type { FC } from 'hono/jsx';
import type { Json } from '../api/json.ts';
import { tName } from '../kit/language.ts';
import type { Field, Option } from '../resources/resource.ts';
import type { Typed } from './form-values.ts';

/** All things of the form with their choices, as the API takes them. */
export const mappingTyped = ({ name, mapping }: Field, typed: Typed): Json[] =>
  Object.entries(typed).flatMap(([path, choice]) =>
    mapping && path.startsWith(`${name}.`)
      ? [mapping.toItem(path.slice(name.length + 1), String(choice) || null)]
      : [],
  );

interface MappingFieldsProps {
  field: Field;
  options: readonly Option[];
  record: Json;
  typed: Typed | undefined;
}

export const MappingFields: FC<MappingFieldsProps> = ({
  field: { name, mapping },
  options,
  record,
  typed,
}) => (
  <div class="mapping">
    {mapping?.rows(record).map(({ key, label, note, value, none }) => {
      const path = `${name}.${key}`;
      const choice = String(typed?.[path] ?? value);
      return (
        <div class="mapping-row">
          <label for={`field-${path}`}>
            {label}
            {note && <span class="muted small note">{note}</span>}
          </label>
          <select name={path} id={`field-${path}`}>
            <option value="">{none}</option>
            {withCurrent(options, choice).map((option) => (
              <option value={option.value} selected={option.value === choice}>
                {option.text ?? tName(option.value)}
              </option>
            ))}
          </select>
        </div>
      );
    })}
  </div>
);

/** A stored choice that is not among the options is one of them. */
const withCurrent = (options: readonly Option[], value: string): readonly Option[] =>
  value === '' || options.some((option) => option.value === value)
    ? options
    : [...options, { value, text: value }];
