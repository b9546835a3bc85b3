// Translates sentences of the API to the language of the page. Sentences without a translation are shown in English.
import type { FC } from 'hono/jsx';
import { apiPtBr, eventsPtBr, kindsPtBr } from '../messages/api-pt-br.ts';
import { labelOf, textOfValue } from '../resources/labels.ts';
import { number } from './format.ts';
import { calendarDate, moment } from './format-time.ts';
import { language, languageNames, tName } from './language.ts';

const escaped = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');

/** What people read in place of sentences for programmers. */
const inPlainEnglish: readonly (readonly [sentence: RegExp, text: string])[] = [
  [/^Fix these fields and send the request with a fresh Idempotency-Key/, 'Correct the marked fields.'],
  [/^must be an integer in minor units/, 'must be an amount, such as 250.00'],
  [/^must be a positive integer in minor units/, 'must be an amount above zero, such as 250.00'],
  [/^must be a number$/, 'must be a number, such as 4500 or 4500.50'],
  [/^must be a valid E\.164 number/, 'must be a phone number with its country, such as +55 11 98765-4321'],
];

/** Sentences with values. Names of values are unique within a sentence. */
const patterns = Object.entries(apiPtBr)
  .filter(([english]) => english.includes('{'))
  .map(
    ([english, text]) =>
      [new RegExp(`^${escaped(english).replaceAll(/\{(\w+)\}/g, '(?<$1>.*)')}$`, 's'), text] as const,
  );

const fill = (text: string, values: Readonly<Record<string, string>> = {}): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

const VERBS: Readonly<Record<string, string>> = {
  Created: 'criad',
  Deleted: 'excluíd',
  Revoked: 'revogad',
  Connected: 'conectad',
  Disconnected: 'desconectad',
  Merged: 'mesclad',
  Moved: 'movid',
  Rotated: 'trocad',
  Paused: 'pausad',
  Resumed: 'retomad',
  Canceled: 'cancelad',
};

const kinds = Object.keys(kindsPtBr).join('|');
const DONE = new RegExp(
  `^(${Object.keys(VERBS).join('|')}) (the secret of )?(${kinds})(?: "(.*)")?\\.$`,
  's',
);
const CHANGED = new RegExp(
  `^(Changed|Set|Cleared) (.+?) of (${kinds})(?: "(.*?)")?(?:(?: from (.*))? to (.*))?\\.$`,
  's',
);

const VALUES: Readonly<Record<string, string>> = { true: 'sim', false: 'não' };

/** Members whose values have names in the language of the page. */
const NAMED: ReadonlySet<string> = new Set(['metric', 'period', 'pipelines']);

/** A value in a summary, as text. */
function valueText(label: string, value: string): string {
  const member = label.replaceAll(' ', '_');
  const text = textOfValue(member, value);
  if (text !== undefined) return `"${text}"`;
  if (member === 'language')
    return Object.entries(languageNames).find(([name]) => name === value)?.[1] ?? value;
  if (member === 'event') return eventName(value);
  if (NAMED.has(member)) return tName(value);
  if (/^\d{1,15}$/.test(value)) return number(value);
  if (/^\d{4}-\d{2}-\d{2}T/.test(value)) return moment(new Date(value));
  return VALUES[value] ?? value;
}

/** A day as the API writes it, such as `2 Mar 2026`. */
function dayText(english: string): string {
  const at = Date.parse(`${english} UTC`);
  return Number.isNaN(at) ? english : calendarDate(new Date(at).toISOString().slice(0, 10));
}

/** The name of a kind of change such as `mission.*`. */
export function kindName(act: string): string {
  const kind = act
    .replace('.*', '')
    .replaceAll('_', ' ')
    .replace(/^crm\b/, 'CRM');
  return (language() === 'en' ? undefined : kindsPtBr[kind]?.[0]) ?? kind;
}

const labelsOf = (members: string): string =>
  members
    .split(', ')
    .map((member) => labelOf({ name: member.replaceAll(' ', '_') }).toLowerCase())
    .join(', ');

function subjectOf(kind = '', name = ''): { subject: string; ending: string } {
  const [word = kind, ending = 'o'] = kindsPtBr[kind] ?? [];
  return { subject: `${word}${name && ` "${name}"`}`, ending };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A sentence of the audit trail about a record. */
function summaryInPortuguese(text: string): string | undefined {
  const done = DONE.exec(text);
  if (done) {
    const [, verb = '', secret, kind, name] = done;
    const { subject, ending } = subjectOf(kind, name);
    return secret ? `Segredo trocado: ${subject}.` : `${capitalized(subject)} ${VERBS[verb]}${ending}.`;
  }
  const changed = CHANGED.exec(text);
  if (!changed) return undefined;
  const [, verb, members = '', kind, name, before, after] = changed;
  const { subject, ending } = subjectOf(kind, name);
  const what = labelsOf(members);
  const detail =
    verb === 'Cleared'
      ? `${what} sem valor`
      : after === undefined
        ? what
        : before === undefined
          ? `${what} agora é ${valueText(members, after)}`
          : `${what} de ${valueText(members, before)} para ${valueText(members, after)}`;
  return `${capitalized(subject)} alterad${ending}: ${detail}.`;
}

/** The text in the words and the language of the page. Undefined if it is shown as it is. */
export function apiText(english: string): string | undefined {
  if (language() === 'en') return inPlainEnglish.find(([sentence]) => sentence.test(english))?.[1];
  const sentences = english.split(/(?<=\.) (?=[A-Z])/).map(sentenceInPortuguese);
  if (!sentences.includes(undefined)) return sentences.join(' ');
  // Some translations are of several sentences.
  return sentenceInPortuguese(english);
}

function sentenceInPortuguese(english: string): string | undefined {
  const known = Object.hasOwn(apiPtBr, english) ? apiPtBr[english] : undefined;
  if (known !== undefined) return known;
  for (const [pattern, text] of patterns) {
    const groups = pattern.exec(english)?.groups;
    if (groups) return fill(text, { ...groups, ...(groups.day && { day: dayText(groups.day) }) });
  }
  return summaryInPortuguese(english);
}

/** What a type of event means, for pages where the type itself is of no use. */
export function eventWords(type: string): string {
  const meaning = language() !== 'en' && Object.hasOwn(eventsPtBr, type) ? eventsPtBr[type] : undefined;
  return capitalized(meaning ?? type.replaceAll(/[._]/g, ' '));
}

/** An event type with its meaning. On an English page only the type, which explains itself. */
export function eventName(type: string): string {
  const meaning = language() !== 'en' && Object.hasOwn(eventsPtBr, type) ? eventsPtBr[type] : undefined;
  return meaning === undefined ? type : `${meaning} (${type})`;
}

export const ApiText: FC<{ of: string }> = ({ of }) => {
  const own = apiText(of);
  return own === undefined ? <span lang="en">{of}</span> : <span>{own}</span>;
};
