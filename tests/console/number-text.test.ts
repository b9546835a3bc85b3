// Numbers that people type into forms.
import { Hono } from 'hono';
import { contextStorage } from 'hono/context-storage';
import { expect, test } from 'vitest';
import { detectLanguage } from '../../clients/console/kit/language.ts';
import { amountOf } from '../../clients/console/kit/number-text.ts';

async function read(language: 'en' | 'pt-BR', text: string): Promise<number | null> {
  const app = new Hono();
  app.use(contextStorage(), detectLanguage(language));
  app.get('/', (c) => c.json(amountOf(text) ?? null));
  return (await app.request('/')).json();
}

test.each([
  ['4500', 4500, 4500],
  ['4500.5', 4500.5, 4500.5],
  ['250,00', 250, 250],
  ['250.00', 250, 250],
  ['4.500,00', 4500, 4500],
  ['4,500.00', 4500, 4500],
  ['1.250.000', 1_250_000, 1_250_000],
  ['R$ 4 500,00', 4500, 4500],
  ['0.125', 0.125, 0.125],
  ['-12,5', -12.5, -12.5],
  // Thousands in one notation, decimals in the other.
  ['4,500', 4500, null],
  ['4.500', null, 4500],
  ['4,50,0', null, null],
  ['4 5', null, null],
  ['abc', null, null],
])('%s', async (text, english, portuguese) => {
  expect([await read('en', text), await read('pt-BR', text)]).toEqual([english, portuguese]);
});
