// Sentences of the API on pages for people.
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { contextStorage } from 'hono/context-storage';
import { expect, test } from 'vitest';
import { apiText } from '../../clients/console/kit/api-words.tsx';
import { detectLanguage } from '../../clients/console/kit/language.ts';

async function inLanguage(
  language: 'en' | 'pt-BR',
  sentences: readonly string[],
): Promise<(string | null)[]> {
  const app = new Hono();
  app.use(contextStorage(), detectLanguage(language));
  app.get('/', (c) => c.json(sentences.map((one) => apiText(one) ?? null)));
  return (await app.request('/')).json();
}
const inPortuguese = (sentences: readonly string[]) => inLanguage('pt-BR', sentences);

test('every remedy in the request log has a translation', async () => {
  const source = readFileSync('database/administration/requests.sql', 'utf8');
  const advice = source.slice(source.indexOf('app.remedy'), source.indexOf('comment on'));
  const sentences = Array.from(advice.matchAll(/(?:then|else) '((?:[^']|'')+)'/g), ([, text = '']) =>
    text.replaceAll("''", "'"),
  );
  expect(sentences.length).toBeGreaterThan(25);
  const translated = await inPortuguese(sentences);
  expect(sentences.filter((_, index) => translated[index] === null)).toEqual([]);
});

test.each([
  ['Created mission "A "b" of c".', 'Missão "A "b" of c" criada.'],
  ['Rotated the secret of client "ERP".', 'Segredo trocado: cliente da API "ERP".'],
  ['Changed points of mission "A" from 1500 to 1000.', 'Missão "A" alterada: pontos de 1.500 para 1.000.'],
  ['Set active of automation "A" to true.', 'Automação "A" alterada: ativo agora é sim.'],
  [
    'Cleared description of webhook "https://a.example/x".',
    'Webhook "https://a.example/x" alterado: descrição sem valor.',
  ],
  ['Changed name, points of mission "A".', 'Missão "A" alterada: nome, pontos.'],
  [
    'Mapped CRM activity type "call" to activity code 001. Mapped CRM activity type "meeting" to activity code 002.',
    'Tipo de atividade do CRM "call" associado ao código 001. Tipo de atividade do CRM "meeting" associado ao código 002.',
  ],
  ['Adjusted the points of ana@acme.example by -5.', 'Pontos de ana@acme.example ajustados em -5.'],
  ['must be an integer from 0 to 100', 'precisa ser um número inteiro de 0 a 100'],
  ['Visit: activity 002 on 2 Mar 2026 (+25).', 'Visit: atividade 002 em 02/03/2026 (+25).'],
  [
    'Visit: activity 002 on 2 Mar 2026 was voided: wrong code (-25).',
    'Visit: a atividade 002 de 02/03/2026 foi anulada: wrong code (-25).',
  ],
  ['Deal won: Acme on 2 Mar 2026 (+100).', 'Negócio ganho: Acme em 02/03/2026 (+100).'],
  ['Paused CRM account "pipedrive".', 'Conta de CRM "pipedrive" pausada.'],
  [
    'Set on delete of CRM account "pipedrive" to delete.',
    'Conta de CRM "pipedrive" alterada: se um registro for excluído no crm agora é "Excluir aqui".',
  ],
  [
    'Changed direction of CRM account "pipedrive" from in to both.',
    'Conta de CRM "pipedrive" alterada: as alterações vão de "Do CRM para o Placar" para "Nos dois sentidos".',
  ],
  [
    'Changed conflict of CRM account "pipedrive" from crm to latest.',
    'Conta de CRM "pipedrive" alterada: se os dois lados alteraram um campo de "Vale o do CRM" para "Vale o mais recente".',
  ],
  [
    'Changed metric of badge "A" from points to deals_won.',
    'Medalha "A" alterada: métrica de pontos para negócios ganhos.',
  ],
  ['Changed period of board "A" from week to all.', 'Painel "A" alterado: período de semana para todos.'],
  [
    'Changed language of tenant "A" from en to pt-BR.',
    'Workspace "A" alterado: idioma dos emails de English para Português.',
  ],
  [
    'Changed event of automation "A" from deal.won to deal.lost.',
    'Automação "A" alterada: evento de negócio ganho (deal.won) para negócio perdido (deal.lost).',
  ],
  // A name is never taken for one of these values.
  ['Changed name of mission "A" from week to both.', 'Missão "A" alterada: nome de week para both.'],
  ['Started import of pipedrive.', 'Importação de pipedrive iniciada.'],
  ['A sentence that nobody knows.', null],
])('%s', async (english, expected) => {
  expect(await inPortuguese([english])).toEqual([expected]);
});

test('on English pages, sentences for programmers are said for people', async () => {
  expect(
    await inLanguage('en', [
      'Fix these fields and send the request with a fresh Idempotency-Key: amount, customer.name.',
      'must be an integer in minor units',
      'must be an integer',
    ]),
  ).toEqual(['Correct the marked fields.', 'must be an amount, such as 250.00', null]);
});
