// The language of a page: chosen with the switch, otherwise preferred by the browser, otherwise English.
import type { MiddlewareHandler } from 'hono';
import { getContext } from 'hono/context-storage';
import { languageDetector } from 'hono/language';
import {
  isMessage,
  type Language,
  languages,
  type Message,
  type MessageValues,
  translate,
} from '../../../shared/platform/messages/translate.ts';

export const LANGUAGE_COOKIE = 'placar_console_language';

/** Languages by their own names. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'pt-BR': 'Português' };

export const detectLanguage: MiddlewareHandler = languageDetector({
  order: ['cookie', 'header'],
  lookupCookie: LANGUAGE_COOKIE,
  caches: false,
  supportedLanguages: [...languages],
  fallbackLanguage: 'en',
  // Every variant of Portuguese and English counts.
  convertDetectedLanguage: (tag) => (/^pt\b/i.test(tag) ? 'pt-BR' : tag.replace(/^en-.*/i, 'en')),
});

/** Language of the page that is being rendered. */
export const language = (): Language => getContext<{ Variables: { language: Language } }>().get('language');

/** A text in the language of the page. */
export const t = (message: Message, values?: MessageValues): string => translate(language(), message, values);

/** The singular if `count` is 1; `{count}` in the messages is the number in the format of the page. */
export const tCount = (count: number, one: Message, many: Message): string =>
  t(count === 1 ? one : many, { count: new Intl.NumberFormat(language()).format(count) });

/** A name from the data, such as a status, if it has a translation; `incoming_payment` as `incoming payment`. */
export function tName(name: string): string {
  const text = name.replaceAll('_', ' ');
  return isMessage(text) ? t(text) : text;
}
