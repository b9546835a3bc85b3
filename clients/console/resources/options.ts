// Choices of form fields.
import { asText } from '../api/json.ts';
import { eventName, eventWords } from '../kit/api-words.tsx';
import { languageNames } from '../kit/language.ts';
import type { View } from '../view.ts';
import type { Option } from './resource.ts';
import { scopeMeaning } from './scopes.ts';

export const choices = (values: readonly string[]) => (): Option[] => values.map((value) => ({ value }));

/** API names, which are the same in all languages. */
export const names = (values: readonly string[]) => (): Option[] =>
  values.map((value) => ({ value, text: value }));

/** Event types with their meanings. */
export const eventOptions = (values: readonly string[]) => (): Option[] =>
  values.map((value) => ({ value, text: eventName(value) }));

/** Event types by their meaning only. */
export const eventWordOptions = (values: readonly string[]) => (): Option[] =>
  values.map((value) => ({ value, text: eventWords(value) }));

/** Scopes with descriptions of the permitted actions. */
export const scopeOption = (value: string): Option => ({ value, text: value, note: scopeMeaning(value) });

/** Languages by their own names. */
export const languageOptions = (): Option[] =>
  Object.entries(languageNames).map(([value, text]) => ({ value, text }));

const named =
  (kind: 'users' | 'teams' | 'stages') =>
  async (view: View): Promise<Option[]> =>
    (await view.directory(kind))[kind].map(({ id, name }) => ({ value: asText(id), text: asText(name) }));

export const users = named('users');
export const teams = named('teams');
export const stages = named('stages');
