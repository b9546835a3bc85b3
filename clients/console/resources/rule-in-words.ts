// An automation as a sentence.
import { toJson } from '../../typescript/src/core/json.ts';
import { asRows, asText, type Json } from '../api/json.ts';
import { eventWords } from '../kit/api-words.tsx';
import { t, tName } from '../kit/language.ts';

const OPERATORS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '≠',
  gt: '>',
  lt: '<',
  in: '∈',
  contains: '∋',
};

export function ruleInWords({ event, conditions, actions }: Json): string {
  const when = asRows(conditions).map(
    ({ field, op, value }) => `${asText(field)} ${OPERATORS[asText(op)] ?? asText(op)} ${toJson(value)}`,
  );
  const then = asRows(actions).map(({ type, ...rest }) => {
    const details = Object.values(rest).map(asText).filter(Boolean);
    return details.length > 0 ? `${tName(asText(type))} (${details.join(', ')})` : tName(asText(type));
  });
  const values = { event: eventWords(asText(event)), conditions: when.join(', '), actions: then.join(', ') };
  return when.length > 0
    ? t('On {event}, if {conditions}: {actions}', values)
    : t('On {event}: {actions}', values);
}
