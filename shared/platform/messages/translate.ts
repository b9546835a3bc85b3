// Translates texts that people read.
import { ptBr } from './pt-br.ts';

export const languages = ['en', 'pt-BR'] as const;
export type Language = (typeof languages)[number];

/** An English text that has a translation. */
export type Message = keyof typeof ptBr;
export type MessageValues = Readonly<Record<string, string | number>>;

/** The message in a language, with `{name}` replaced by the value of that name. */
export function translate(language: Language, message: Message, values: MessageValues = {}): string {
  const text = language === 'en' ? message : ptBr[message];
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}
