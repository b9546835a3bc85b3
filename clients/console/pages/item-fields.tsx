// A list of small objects in a form, one row of fields for each, with empty rows to fill in.
import type { FC } from 'hono/jsx';
import { asRows, type Json } from '../api/json.ts';
import { t, tName } from '../kit/language.ts';
import { labelOf } from '../resources/labels.ts';
import type { Field, Option } from '../resources/resource.ts';
import type { Typed } from './form-values.ts';

type Row = Readonly<Record<string, string>>;

/** The API takes no more. */
const MAX_ROWS = 20;

const maxRowsOf = ({ items }: Field): number => items?.max ?? MAX_ROWS;

const EMPTY_ROWS = 2;

/** Rows that the person typed, including empty ones. */
function typedRows(field: Field, typed: Typed): Row[] {
  const { name, items } = field;
  const rows = Array.from({ length: maxRowsOf(field) }, (_, index) =>
    Object.fromEntries(
      (items?.fields ?? []).flatMap((member) => {
        const value = typed[`${name}.${index}.${member.name}`];
        return typeof value === 'string' ? [[member.name, value.trim()] as const] : [];
      }),
    ),
  );
  return rows.filter((row) => Object.keys(row).length > 0);
}

/** The objects of the rows that the person filled in. */
export const itemsTyped = (field: Field, typed: Typed): Json[] =>
  typedRows(field, typed)
    .filter((row) => !field.items?.isEmpty(row))
    .map((row) => field.items?.toItem(row) ?? {});

/** Rows of the form: as typed, else those of the record. */
function rowsToShow(field: Field, typed: Typed | undefined, value: unknown): Row[] {
  const { items } = field;
  if (!items) return [];
  const filled = (typed ? typedRows(field, typed) : asRows(value).map(items.toRow)).filter(
    (row) => !items.isEmpty(row),
  );
  return [...filled, ...Array.from({ length: EMPTY_ROWS }, () => ({}))].slice(0, maxRowsOf(field));
}

interface ItemFieldsProps {
  field: Field;
  /** Of the members, by their path. */
  options: ReadonlyMap<string, readonly Option[]>;
  typed: Typed | undefined;
  value: unknown;
}

export const ItemFields: FC<ItemFieldsProps> = ({ field, options, typed, value }) => (
  <>
    <div data-rows {...(field.items?.dependsOn && { 'data-depends-on': field.items.dependsOn })}>
      {rowsToShow(field, typed, value).map((row, index) => (
        <div class="item-row">
          {field.items?.fields.map((member) => {
            const id = `field-${field.name}-${index}-${member.name}`;
            return (
              <div>
                <label for={id} class="small">
                  {labelOf(member)} <span class="visually-hidden">{index + 1}</span>
                </label>
                <ItemControl
                  member={member}
                  id={id}
                  name={`${field.name}.${index}.${member.name}`}
                  value={row[member.name] ?? ''}
                  options={options.get(`${field.name}.${member.name}`) ?? []}
                />
              </div>
            );
          })}
        </div>
      ))}
    </div>
    <button type="button" class="button quiet add-row" data-add-row={String(maxRowsOf(field))} hidden>
      {t('Add row')}
    </button>
    <p class="muted small" data-without-script>
      {t('Save to get more rows.')}
    </p>
  </>
);

interface ItemControlProps {
  member: Field;
  id: string;
  name: string;
  value: string;
  options: readonly Option[];
}

const ItemControl: FC<ItemControlProps> = ({ member, id, name, value, options }) => {
  const shared = { id, name };
  if (member.as === 'select')
    return (
      <select {...shared}>
        {!member.required && <option value="">–</option>}
        <GroupedOptions options={withCurrent(options, value)} value={value} />
      </select>
    );
  return (
    <>
      <input type="text" {...shared} value={value} {...(options.length > 0 && { list: `${id}-list` })} />
      {options.length > 0 && (
        <datalist id={`${id}-list`}>
          {options.map((option) => (
            <option value={option.value} />
          ))}
        </datalist>
      )}
    </>
  );
};

/** A stored value that is not among the choices is one of them. */
const withCurrent = (options: readonly Option[], value: string): readonly Option[] =>
  value === '' || options.some((option) => option.value === value)
    ? options
    : [...options, { value, text: value }];

/** Options below the headings of their groups. Records share names of members, so only the first one is selected. */
const GroupedOptions: FC<{ options: readonly Option[]; value: string }> = ({ options, value }) => {
  const groups = [...new Set(options.map(({ group }) => group))];
  const selected = options.find((option) => option.value === value);
  const items = (all: readonly Option[]) =>
    all.map((option) => (
      <option value={option.value} selected={option === selected}>
        {option.text ?? tName(option.value)}
      </option>
    ));
  return (
    <>
      {groups.map((group) => {
        const members = options.filter((option) => option.group === group);
        return group === undefined ? (
          items(members)
        ) : (
          <optgroup label={group} data-kind={members[0]?.kind}>
            {items(members)}
          </optgroup>
        );
      })}
    </>
  );
};
