// The form of an action: its fields, its consequences, and the API's errors.
import { randomUUID } from 'node:crypto';
import type { Child, FC } from 'hono/jsx';
import type { Fault } from '../../typescript/src/errors.ts';
import { type Json, memberOf } from '../api/json.ts';
import { ApiText, apiText } from '../kit/api-words.tsx';
import { t, tName } from '../kit/language.ts';
import { Panel } from '../kit/small.tsx';
import { labelOf } from '../resources/labels.ts';
import { type Act, type Field, type Option, textOf } from '../resources/resource.ts';
import type { View } from '../view.ts';
import { fieldText, linesOf, type Typed } from './form-values.ts';
import { ItemFields, itemsTyped } from './item-fields.tsx';
import { MappingFields } from './mapping-fields.tsx';

/** Hidden fields that protect a form: the session's CSRF token, the Idempotency-Key, and the record's version. */
export const HiddenFields: FC<{ view: View; etag?: string | undefined; idempotencyKey?: string }> = ({
  view,
  etag,
  idempotencyKey = randomUUID(),
}) => (
  <>
    <input type="hidden" name="_csrf" value={view.csrf} />
    <input type="hidden" name="_key" value={idempotencyKey} />
    {etag !== undefined && <input type="hidden" name="_etag" value={etag} />}
  </>
);

export interface FormState {
  /** The record to change; empty for a new one. */
  record: Json;
  etag?: string | undefined;
  /** The values that the person typed, after an error. */
  typed?: Typed;
  idempotencyKey?: string;
  faults?: readonly Fault[];
  /** Why the request was rejected. */
  refusal?: Child;
  /** The record as someone else changed it in the meantime. */
  current?: Json;
}

interface FormProps {
  act: Act;
  view: View;
  action: string;
  back: string;
  state: FormState;
}

/** Resolves the options of all fields. */
export async function optionsOf(act: Act, view: View): Promise<Map<string, readonly Option[]>> {
  const all = (act.fields ?? []).map(
    async (field) => [field.name, (await field.options?.(view)) ?? []] as const,
  );
  const members = (act.fields ?? [])
    .flatMap(({ name, items }) => (items?.fields ?? []).map((member) => [name, member] as const))
    .map(async ([name, member]) => [`${name}.${member.name}`, (await member.options?.(view)) ?? []] as const);
  return new Map(await Promise.all([...all, ...members]));
}

export async function formBody({ act, view, action, back, state }: FormProps): Promise<Child> {
  const options = await optionsOf(act, view);
  const fields = (act.fields ?? []).filter(({ mapping }) => mapping?.rows(state.record).length !== 0);
  /** The field of a fault: that of the member, or of the object that has it. */
  const placeOfFault = (path: string) =>
    fields.find(({ name }) => name === path) ??
    fields.find(({ name }) => path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
  const faultOf = (one: string) =>
    (state.faults ?? []).filter(({ field }) => placeOfFault(field)?.name === one);
  const unplaced = (state.faults ?? []).filter(({ field }) => !placeOfFault(field));
  const firstFaulty = fields.find(({ name }) => faultOf(name).length > 0)?.name;
  // Screen readers read warnings about irreversible actions first.
  const beginning =
    state.refusal === undefined && !act.danger ? fields.find(({ as }) => as !== 'hidden') : undefined;
  const focused = firstFaulty ?? beginning?.name;
  const text = textOf(act, state.record);
  return (
    <Panel>
      <form method="post" action={action} class="form">
        {state.refusal !== undefined && (
          <div
            class="refusal"
            role="alert"
            tabindex={-1}
            {...(firstFaulty === undefined && { 'data-focus': '' })}
          >
            {state.refusal}
            {unplaced.length > 0 && (
              <ul>
                {unplaced.map(({ field, message }) => (
                  <li>
                    <code>{field}</code> <ApiText of={message} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        {text && <p class={act.danger ? 'warning' : 'muted'}>{t(text)}</p>}
        <HiddenFields
          view={view}
          etag={state.etag}
          {...(state.idempotencyKey && { idempotencyKey: state.idempotencyKey })}
        />
        {fields.map((field) => (
          <FormField
            field={field}
            options={options.get(field.name) ?? []}
            value={
              state.typed?.[field.name] ??
              fieldText(field, currentOf(field, state.record), view.workspace.timeZone)
            }
            faults={faultOf(field.name)}
            isFocused={field.name === focused}
            changed={changedValue(field, state, view)}
            items={
              field.mapping ? (
                <MappingFields
                  field={field}
                  options={options.get(field.name) ?? []}
                  record={state.record}
                  typed={state.typed}
                />
              ) : (
                field.items && (
                  <ItemFields
                    field={field}
                    options={options}
                    typed={state.typed}
                    value={currentOf(field, state.record)}
                  />
                )
              )
            }
          />
        ))}
        <div class="form-foot">
          <button type="submit" class={`button ${act.danger ? 'danger' : 'primary'}`}>
            {t(act.label)}
          </button>
          <a class="button quiet" href={back}>
            {t('Cancel')}
          </a>
        </div>
      </form>
    </Panel>
  );
}

const currentOf = (field: Field, record: Json): unknown =>
  field.from ? field.from(record) : (memberOf(record, field.name) ?? field.value);

/** The value that someone else saved, if it differs from what the person typed. */
function changedValue(field: Field, { current, typed }: FormState, view: View): string | undefined {
  if (!current || field.as === 'secret' || field.mapping) return undefined;
  const theirs = fieldText(field, currentOf(field, current), view.workspace.timeZone);
  const text = Array.isArray(theirs) ? theirs.join(', ') : theirs;
  const mine = field.items
    ? fieldText(field, itemsTyped(field, typed ?? {}), view.workspace.timeZone)
    : (typed?.[field.name] ?? '');
  return text === (Array.isArray(mine) ? mine.join(', ') : mine) ? undefined : text;
}

interface FieldProps {
  field: Field;
  options: readonly Option[];
  value: string | string[];
  faults: readonly Fault[];
  /** Whether the form begins here: the first fault, else the first field. */
  isFocused: boolean;
  changed: string | undefined;
  /** The rows of a list of objects. */
  items: Child;
}

const FormField: FC<FieldProps> = (props) => {
  const { field, faults, changed } = props;
  if (field.as === 'hidden') return <input type="hidden" name={field.name} value={[props.value].flat()[0]} />;
  const id = `field-${field.name}`;
  const notes = [
    ...(field.help ? [`${id}-help`] : []),
    ...(faults.length > 0 ? [`${id}-fault`] : []),
    ...(changed !== undefined ? [`${id}-current`] : []),
  ].join(' ');
  const shared = {
    id,
    name: field.name,
    ...(notes && { 'aria-describedby': notes }),
    ...(faults.length > 0 && { 'aria-invalid': 'true' as const }),
    ...(field.required && { required: true }),
    ...(props.isFocused && { 'data-focus': '' }),
  };
  const isGroup = ['choices', 'items', 'mapping'].includes(field.as ?? '');
  const label = (
    <>
      {labelOf(field)}
      {!field.required && field.as !== 'checkbox' && !field.mapping && (
        <span class="muted small"> {t('(optional)')}</span>
      )}
    </>
  );
  return (
    <div class={`form-field ${field.as === 'checkbox' ? 'checkbox' : ''}`}>
      {isGroup ? (
        <fieldset
          {...(notes && { 'aria-describedby': notes })}
          {...(props.isFocused && { 'data-focus': '', tabindex: -1 })}
        >
          <legend>{label}</legend>
          {props.items ?? <Choices {...props} />}
        </fieldset>
      ) : (
        <>
          <label for={id}>{label}</label>
          <Control {...props} shared={shared} />
        </>
      )}
      {field.help && (
        <p class="muted small" id={`${id}-help`}>
          {t(field.help, field.helpValues?.())}
        </p>
      )}
      {changed !== undefined && (
        <p class="changed small" id={`${id}-current`}>
          {t('Saved in the meantime:')} {changed === '' ? t('nothing') : changed}
        </p>
      )}
      {faults.length > 0 && (
        <p class="fault small" id={`${id}-fault`}>
          {faults.map((fault, index) => (
            <>
              {index > 0 && '; '}
              {placeOf(fault, field, props.value)}
              <ApiText of={withLabels(fault.message)} />
            </>
          ))}
        </p>
      )}
    </div>
  );
};

/** Members that a message names, such as `starts_at`. */
const MEMBER = /\b(starts_at|ends_at)\b/g;
const withLabels = (message: string) =>
  // Translations name no members.
  apiText(message) === undefined ? message.replaceAll(MEMBER, (name) => `"${labelOf({ name })}"`) : message;

/** Which value of several is faulty, or which part of JSON. */
function placeOf({ field: place }: Fault, field: Field, value: string | string[]): string {
  if (place === field.name) return '';
  const index = /^\w+\W(\d+)\b/.exec(place)?.[1];
  if (index && field.as === 'lines')
    return `"${linesOf([value].flat().join('\n'))[Number(index)] ?? place}" `;
  return index && field.as === 'items'
    ? `${t('Line {count}', { count: Number(index) + 1 })}: `
    : `${place}: `;
}

const Choices: FC<FieldProps> = ({ field, options, value }) => (
  <div class="choices">
    {options.map((option) => (
      <label>
        <input
          type="checkbox"
          name={field.name}
          value={option.value}
          checked={value.includes(option.value)}
          {...(option.disabled && { disabled: true })}
        />
        <span>
          {option.text ?? tName(option.value)}
          {option.note && <span class="muted small note">{option.note}</span>}
        </span>
      </label>
    ))}
  </div>
);

const TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'url',
  moment: 'datetime-local',
  date: 'date',
  secret: 'password',
};

const Control: FC<FieldProps & { shared: Record<string, string | boolean> }> = ({
  field,
  options,
  value,
  shared,
}) => {
  const text = Array.isArray(value) ? value.join('\n') : value;
  switch (field.as) {
    case 'select':
      return (
        <select {...shared}>
          {!field.required && <option value="">–</option>}
          {options.map((option) => (
            <option value={option.value} selected={option.value === text}>
              {option.text ?? tName(option.value)}
            </option>
          ))}
        </select>
      );
    case 'checkbox':
      return <input type="checkbox" {...shared} value="true" checked={text === 'true'} />;
    case 'textarea':
    case 'lines':
    case 'json':
      return (
        <textarea
          {...shared}
          rows={field.as === 'json' ? 8 : 4}
          {...(field.as === 'json' && { class: 'mono' })}
          spellcheck={field.as === 'textarea'}
        >
          {text}
        </textarea>
      );
    default:
      return (
        <>
          <input
            type={TYPES[field.as ?? ''] ?? 'text'}
            {...shared}
            value={text}
            {...(options.length > 0 && { list: `${shared.id}-list` })}
            {...(field.as === 'integer' && { inputmode: 'numeric' })}
            {...((field.as === 'decimal' || field.as === 'money') && { inputmode: 'decimal' })}
            {...(field.as === 'secret' && { autocomplete: 'off' })}
          />
          {options.length > 0 && (
            <datalist id={`${shared.id}-list`}>
              {options.map(({ value: one, text: name }) => (
                <option value={one}>{name}</option>
              ))}
            </datalist>
          )}
        </>
      );
  }
};
