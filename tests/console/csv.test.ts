// CSV files of the console: what they say, and that `placar sync` reads leads and deals back.

import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parseTime } from '../../clients/typescript/src/cli/sync/values/time-text.ts';
import { nameInPortuguese } from '../../shared/payments/ledger/exports/portuguese.ts';
import { leadTextNames } from '../../shared/records/leads/texts.ts';
import { connect, newInvoice, newPayout } from '../support/clients/client.ts';
import { createOwner, serveFor } from '../support/clients/served-console.ts';
import { readLines } from '../support/clients/sync-lines.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

const LEAD = {
  ...Object.fromEntries(leadTextNames.map((name) => [name, `Ana's ${name}`])),
  ...{ name: 'Ana Souza', email: 'ana@acme.example', phone: '+55 11 5555-0101', company: '=Loja; "Sul"' },
  ...{ position: 'Diretora', source: 'expo', tags: ['vip', 'sul'], external_id: '00123' },
};
const DEAL = {
  ...{ name: 'Casa', value: 1234.565, currency: 'USD', stage: 'Proposal', priority: 'high' },
  ...{ expected_close_date: '2026-12-11', tags: ['vip'], external_id: 'd-1' },
};
const CONTACT = { name: 'Bia', email: 'bia@acme.example', company: 'Loja' };

const languages = [
  ['en', ','],
  ['pt-BR', ';'],
] as const;

async function start() {
  const owner = await createOwner(sql);
  const served = await serveFor(owner);
  const csv = async (path: string, language: string) =>
    (await served.get(`${path}?format=csv`, { 'Accept-Language': language })).text();
  return { owner, csv, served };
}

const tableOf = (text: string, delimiter: string): Record<string, string>[] =>
  parse(text, { bom: true, delimiter, columns: true });

test('sync reads the leads and deals of a file to the stored values', async () => {
  const { owner, csv } = await start();
  const { leads, opportunities } = connect(owner, { variant: 'c' }) as unknown as Creators;
  await leads.create(LEAD);
  await leads.batch([{ method: 'upsert', external_id: LEAD.external_id, data: { stage: 'unqualified' } }]);
  await opportunities.create({ ...DEAL, contact: CONTACT });
  for (const [language, delimiter] of languages) {
    const content = await csv('/records/leads', language);
    const read = await readLines(content, { kind: 'leads', variant: 'c' });
    expect([language, read.items, read.faults]).toEqual([language, [{ ...LEAD, stage: 'unqualified' }], []]);
    const deals = await csv('/records/deals', language);
    const deal = await readLines(deals, { kind: 'deals', variant: 'c' });
    expect([deal.items, deal.faults]).toEqual([[{ ...DEAL, contact: CONTACT }], []]);
    const dropped = await readLines(deals, { kind: 'deals', variant: 'a' });
    expect(dropped.faults).toMatchObject([
      { number: 2, message: expect.stringContaining('is in USD, but would become BRL.') },
    ]);
    const created = tableOf(content, delimiter)[0]?.[language === 'en' ? 'Created' : 'Criação'] ?? '';
    expect(parseTime(created, 'dmy')).toMatchObject({ day: expect.any(String), time: expect.any(String) });
    expect(created).toMatch(/\d\d:\d\d:\d\d$/);
  }
});

interface Creators {
  leads: { create(lead: object): Promise<unknown>; batch(operations: readonly object[]): Promise<unknown> };
  opportunities: { create(deal: object): Promise<unknown> };
}

test('amounts have their currency, on pages too, and as many decimals as are stored', async () => {
  const { owner, csv, served } = await start();
  const placar = connect(owner);
  const { opportunities } = connect(owner, { variant: 'c' }) as unknown as Creators;
  await opportunities.create(DEAL);
  await placar.invoices.create(newInvoice());
  await placar.payouts.create({ ...newPayout(), currency: 'BRL' });
  for (const [path, amount, currency] of [
    ['/records/deals', '1234.565', 'USD'],
    ['/payments/invoices', '100.00', 'BRL'],
    ['/payments/payouts', '50.00', 'BRL'],
  ] as const) {
    const [row] = tableOf(await csv(path, 'en'), ',');
    expect([path, row?.Value ?? row?.Amount, row?.Currency]).toEqual([path, amount, currency]);
  }
  const list = await served.get('/records/deals', { 'Accept-Language': 'pt-BR' });
  expect((await list.text()).replaceAll('\u00a0', ' ')).toContain('US$ 1.234,565');
  const deal = await placar.deals.getByExternalId(DEAL.external_id);
  for (const { id, name } of await placar.stages.list()) {
    const found = await (await served.get(`/records/deals?stage_id=${id}`)).text();
    expect([name, found.includes(`/records/deals/${deal.id}`)]).toEqual([name, name === 'Proposal']);
  }
  const page = await (await served.get(`/records/deals/${deal.id}`)).text();
  expect(page).toContain('>$1,234.565<');
  expect(page).toContain('>Proposal<');
  const edited = await served.submit(`/records/deals/${deal.id}/edit`, { contact_name: 'Bia' });
  expect(edited.status).toBe(303);
  expect(await placar.deals.get(deal.id)).toMatchObject({ contact_name: 'Bia', value: DEAL.value });
});

test('the reasons of ledger entries have the words of the export', async () => {
  const { csv, served } = await start();
  await served.submit('/payments/ledger/adjust', { amount: '-5', currency: 'USD', reason: 'fee_correction' });
  await served.submit('/payments/ledger/adjust', { amount: '-5', currency: 'USD', reason: 'Pay it' });
  const rows = tableOf(await csv('/payments/ledger', 'pt-BR'), ';');
  expect(rows.map(({ Motivo, Moeda }) => [Motivo, Moeda])).toEqual([
    ['Pay it', 'USD'],
    [nameInPortuguese('fee_correction'), 'USD'],
  ]);
});
