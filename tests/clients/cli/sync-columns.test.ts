// The columns of the exports of CRMs, as `placar sync` recognizes them.
import { expect, test } from 'vitest';
import { readLines } from '../../support/clients/sync-lines.ts';

const OPTIONS = { timeZone: 'America/Sao_Paulo' };

test.each([
  [
    'leads',
    'Record ID,First Name,Last Name,Email,Lead Status\n1,Ana,Souza,a@x.example,\n2,,Lima,b@x.example,\n3,Bia,,c@x.example,',
    [
      { external_id: '1', name: 'Ana Souza', email: 'a@x.example' },
      { external_id: '2', name: 'Lima', email: 'b@x.example' },
      { external_id: '3', name: 'Bia', email: 'c@x.example' },
    ],
  ],
  ['leads', 'ID;Sobrenome;Nome\n1;Souza;Ana', [{ external_id: '1', name: 'Ana Souza' }]],
  ['leads', 'ID;Sobrenome;Nome completo\n1;Souza;Ana Souza', [{ external_id: '1', name: 'Ana Souza' }]],
  [
    'leads',
    'Person - ID,Person - Name,Person - Email - Work,Person - Email - Home,Person - Phone,Organization - Name\n1,Ana,a@x.example,h@x.example,5,Loja',
    [{ external_id: '1', name: 'Ana', email: 'a@x.example', phone: '5', company: 'Loja' }],
  ],
  [
    'deals',
    'Deal - ID,Deal - Title,Deal - Value,Deal - Stage,Deal - Expected close date,Person - Name,Person - Email,Organization - Name\n1,Casa,7,Proposal,2026-12-31,Ana,a@x.example,Loja',
    [
      {
        ...{ external_id: '1', name: 'Casa', value: 7, stage: 'Proposal', expected_close_date: '2026-12-31' },
        ...{ contact_name: 'Ana', contact_email: 'a@x.example', company: 'Loja' },
      },
    ],
  ],
  [
    'deals',
    'Negócio - ID;Negócio - Título;Negócio - Valor;Negócio - Etapa;Pessoa - Nome;Pessoa - E-mail;Organização - Nome\n1;Casa;7,5;Proposta;Ana;a@x.example;Loja',
    [
      {
        ...{ external_id: '1', name: 'Casa', value: 7.5, stage: 'Proposta', contact_name: 'Ana' },
        ...{ contact_email: 'a@x.example', company: 'Loja' },
      },
    ],
  ],
  [
    'activities',
    'activity_code;external_id;collaborator_email;Data;Hora\n002;a;a@x.example;26/11/2026;14:30\n002;b;a@x.example;26/11/2026;',
    [
      { ...activity('a'), occurred_at: '2026-11-26T17:30:00Z' },
      { ...activity('b'), occurred_at: '2026-11-26T03:00:00Z' },
    ],
  ],
  [
    'activities',
    'activity_code,external_id,collaborator_email,Date,Time\n002,a,a@x.example,2026-11-26,2:30 PM',
    [{ ...activity('a'), occurred_at: '2026-11-26T17:30:00Z' }],
  ],
] as const)('%s: %j', async (kind, content, items) => {
  const read = await readLines(content, { kind, ...OPTIONS });
  expect([read.items, read.faults]).toEqual([items, []]);
});

function activity(id: string) {
  return { activity_code: '002', external_id: id, collaborator_email: 'a@x.example' };
}

test('a currency that the names of the variant drop is refused', async () => {
  const content = 'ID;Nome;Valor;Moeda\n1;A;1;BRL\n2;B;1;usd\n3;C;1;R$\n4;D;1;';
  expect((await readLines(content, { kind: 'deals' })).faults).toMatchObject([
    { number: 3, field: 'value', message: expect.stringContaining('is in USD, but would become BRL') },
  ]);
  expect(
    (await readLines(content.replace('usd', 'USD'), { kind: 'deals', variant: 'c' })).items,
  ).toMatchObject([{ currency: 'BRL' }, { currency: 'USD' }, { currency: 'R$' }, { external_id: '4' }]);
});

test('joined columns and the ignored status of a deal are said', async () => {
  const people = await readLines('ID,First Name,Last Name\n1,Ana,Souza', { kind: 'leads' });
  expect(people.notes).toContain('Recognized columns: ID: external_id, First Name + Last Name: name');
  for (const name of ['Deal - Status', 'Status', 'Situação', 'Negócio - Status']) {
    const { notes } = await readLines(`external_id,name,value,${name}\n1,A,1,Won`);
    expect(notes).toContain(
      `${name} is not sent: imported deals are open. Close them in the console or with POST /v1/deals/{id}/close.`,
    );
  }
});
