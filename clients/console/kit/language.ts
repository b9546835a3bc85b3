// The language of a page: chosen with the switch, otherwise that of the command line, the browser's, or English.
import type { MiddlewareHandler } from 'hono';
import { getContext } from 'hono/context-storage';
import { languageDetector } from 'hono/language';
import { ledgerNames } from '../../../shared/payments/ledger/exports/portuguese.ts';
import { type Language, languages, type MessageValues } from '../../../shared/platform/messages/translate.ts';
import { commonPtBr } from '../messages/common-pt-br.ts';
import { crmPtBr } from '../messages/crm-pt-br.ts';
import { personPaymentsPtBr } from '../messages/person-payments-pt-br.ts';
import { ptBr as pagesPtBr } from '../messages/pt-br.ts';
import { signInPtBr } from '../messages/sign-in-pt-br.ts';

export const LANGUAGE_COOKIE = 'placar_console_language';

/** The Portuguese of each English text. */
export const ptBr = {
  ...ledgerNames,
  ...commonPtBr,
  ...pagesPtBr,
  ...signInPtBr,
  ...personPaymentsPtBr,
  ...crmPtBr,
};

/** An English text that has a translation. */
export type Message = keyof typeof ptBr;

export const isMessage = (text: string): text is Message => Object.hasOwn(ptBr, text);

/** Languages by their own names. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'pt-BR': 'Português' };

/** `preferred` takes precedence over the browser's language. */
export const detectLanguage = (preferred?: Language): MiddlewareHandler =>
  languageDetector({
    order: preferred ? ['cookie'] : ['cookie', 'header'],
    lookupCookie: LANGUAGE_COOKIE,
    caches: false,
    supportedLanguages: [...languages],
    fallbackLanguage: preferred ?? 'en',
    // Every variant of Portuguese and English counts.
    convertDetectedLanguage: (tag) => (/^pt\b/i.test(tag) ? 'pt-BR' : tag.replace(/^en-.*/i, 'en')),
  });

interface PageVariables {
  language: Language;
  /** IANA name of the workspace's time zone, once it is known. */
  timeZone?: string;
}

const page = () => getContext<{ Variables: PageVariables }>();

/** Language of the page that is being rendered. */
export const language = (): Language => page().get('language');

/** Time zone of the page that is being rendered. */
export const timeZone = (): string => page().get('timeZone') ?? 'UTC';

/** A text in the language of the page. */
export function t(message: Message, values: MessageValues = {}): string {
  const text: string = language() === 'en' ? message : ptBr[message];
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}

/** `a, b and c` or `a, b or c`, in the language of the page. */
export const listed = (values: readonly string[], type: 'conjunction' | 'disjunction'): string =>
  new Intl.ListFormat(language() === 'en' ? 'en-GB' : language(), { type }).format(values);

/** The singular if `count` is 1; `{count}` in the messages is the number in the format of the page. */
export const tCount = (count: number, one: Message, many: Message): string =>
  t(count === 1 ? one : many, { count: new Intl.NumberFormat(language()).format(count) });

/** A name from the data, such as a status, if it has a translation; `incoming_payment` as `incoming payment`. */
export function tName(name: string): string {
  const text = name.replaceAll('_', ' ');
  const known = [name, text].find(isMessage);
  return known === undefined || language() === 'en' ? text : t(known);
}
