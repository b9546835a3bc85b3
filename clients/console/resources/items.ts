// Lists of small objects in forms: conditions of automations and webhooks, and actions. Each object is a row of fields.
import { asJson, asText, type Json } from '../api/json.ts';
import { t } from '../kit/language.ts';
import { memberOptions } from './event-members.ts';
import { choices } from './options.ts';
import { plainText, plainValue } from './plain-values.ts';
import type { Items } from './resource.ts';

/** Operators in words. */
const operators = () =>
  [
    { value: 'eq', text: t('is') },
    { value: 'ne', text: t('is not') },
    { value: 'gt', text: t('is greater than') },
    { value: 'lt', text: t('is less than') },
    { value: 'in', text: t('is one of') },
    { value: 'contains', text: t('contains') },
  ] as const;

/** `{field, op, value}`. `dependsOn`: the select of the event, whose record has the members. */
export const conditionsOf = (
  members: Readonly<Record<string, readonly string[]>>,
  dependsOn?: string,
): Items => ({
  ...(dependsOn && { dependsOn }),
  fields: [
    { name: 'field', label: 'Member', as: 'select', options: memberOptions(members) },
    { name: 'op', label: 'Comparison', as: 'select', required: true, options: operators },
    { name: 'value', label: 'Value' },
  ],
  toItem: ({ field = '', op = '', value = '' }) => ({ field, op, value: plainValue(value, op === 'in') }),
  toRow: ({ field, op, value }) => ({ field: asText(field), op: asText(op), value: plainText(value) }),
  isEmpty: ({ field = '', value = '' }) => field === '' && value === '',
});

/** An object with names of the caller's choice: a row for each member. */
export const pairItems: Items = {
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'value', label: 'Value' },
  ],
  toItem: ({ name = '', value = '' }) => ({ name, value: plainValue(value) }),
  toRow: ({ name, value }) => ({ name: asText(name), value: plainText(value) }),
  isEmpty: ({ name = '', value = '' }) => name === '' && value === '',
  toMember: (items) => Object.fromEntries(items.map(({ name, value }) => [asText(name), value])),
};

/** The rows of `pairItems` for an object. */
export const pairsOf = (object: unknown): Json[] =>
  Object.entries(asJson(object)).map(([name, value]) => ({ name, value }));

/** Member that the value of an action is. */
const VALUE_OF: Readonly<Record<string, string>> = {
  add_tag: 'tag',
  assign_owner: 'user',
  move_stage: 'stage',
  create_activity: 'description',
  award_points: 'points',
};
const ACTIVITY_TYPES = ['note', 'call', 'email', 'meeting', 'task'];

/** `{type}` with one value, and the type of an activity. */
export const actionItems: Items = {
  fields: [
    { name: 'type', label: 'Action', as: 'select', options: choices(Object.keys(VALUE_OF)) },
    { name: 'value', label: 'Value' },
    { name: 'activity_type', label: 'Type of activity', as: 'select', options: choices(ACTIVITY_TYPES) },
  ],
  toItem: ({ type = '', value = '', activity_type: activity = '' }) => ({
    type,
    [VALUE_OF[type] ?? 'value']: type === 'award_points' ? plainValue(value) : value,
    ...(activity && { activity_type: activity }),
  }),
  toRow: (item) => ({
    type: asText(item.type),
    value: valueOfAction(item),
    activity_type: asText(item.activity_type),
  }),
  isEmpty: ({ type = '', value = '' }) => type === '' && value === '',
};

/** Also of actions that name their user or stage by id. */
function valueOfAction(item: Json): string {
  const type = asText(item.type);
  return plainText(item[VALUE_OF[type] ?? 'value'] ?? item.user_id ?? item.stage_id);
}
