// `placar sync` with leads and deals: each line is one record, identified by the external id of the client.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { connect, createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { type Seen, startFaultProxy } from '../../support/wire/fault-proxy.ts';
import { environmentOf, jsonLines, newFolder, runCli, useCli } from './run-cli.ts';

const sql = connectDatabase();
useCli();

const HEADER = 'external_id,name,Mail,phone,tags,custom_fields.region,Remark\n';
const leadLine = (n: number) => `l-${n},Lead ${n},l${n}@example.com,${n},"[""new""]",north,-\n`;

async function start() {
  const credentials = await createCredentials(sql);
  return { credentials, env: environmentOf(credentials), cwd: newFolder() };
}

test('creates and updates leads by their ids, silently; errors name the line', async () => {
  const { credentials, env, cwd } = await start();
  const lines = Array.from({ length: 1100 }, (_, n) => leadLine(n));
  lines[700] = 'l-700,Twice,l699@example.com,,,,\n';
  lines[800] = 'l-800,Nobody,no mail,,many,,\n';
  lines[900] = ',Nameless,l900@example.com,,,,\n';
  writeFileSync(join(cwd, 'leads.csv'), HEADER + lines.join(''));
  const args = ['sync', 'leads.csv', '--kind', 'leads', '--map', 'email=Mail', '--silent'];
  const faults = [
    { line: 802, field: 'email', rule: expect.any(String), value: 'no mail' },
    { line: 902, field: 'external_id', rule: 'is required' },
  ];
  const dry = await runCli([...args, '--dry-run'], { env, cwd });
  expect([dry.code, dry.stderr]).toEqual([3, 'Ignored columns: Remark\nDry run: nothing was sent.\n']);
  expect(jsonLines(dry.stdout)).toEqual([
    { line: 702, field: 'email', rule: 'is already used by an earlier line' },
    ...faults,
    {
      kind: 'leads',
      dry_run: true,
      processed: 1097,
      duplicates: 0,
      skipped: 1,
      invalid: 2,
      conflicts: 0,
      total: 1100,
    },
  ]);

  const first = await runCli(args, { env, cwd });
  const refused = { line: 702, external_id: 'l-700', skipped: expect.stringContaining('email') };
  const counts = { kind: 'leads', dry_run: false, skipped: 1, invalid: 2, conflicts: 0, total: 1100 };
  expect([first.code, first.stderr]).toEqual([3, 'Ignored columns: Remark\n']);
  const told = jsonLines(first.stdout);
  expect(told).toEqual(expect.arrayContaining([...faults, refused]));
  expect(told.at(-1)).toEqual({ ...counts, processed: 1097, duplicates: 0 });
  const placar = connect(credentials);
  expect(await placar.leads.getByExternalId('l-7')).toMatchObject({
    name: 'Lead 7',
    phone: '7',
    tags: ['new'],
    custom_fields: { region: 'north' },
  });
  const events = await sql`
    select type, silent, count(*)::int as number from events where tenant_id = ${credentials.tenantId} group by 1, 2`;
  expect(events).toEqual([{ type: 'lead.created', silent: true, number: 1097 }]);

  // Only some columns: the others do not change.
  writeFileSync(join(cwd, 'leads.csv'), 'external_id,status\nl-7,contacted\n');
  const second = await runCli(['sync', 'leads.csv', '--kind', 'leads'], { env, cwd });
  expect(jsonLines(second.stdout).at(-1)).toMatchObject({ processed: 0, duplicates: 1, total: 1 });
  expect(await placar.leads.getByExternalId('l-7')).toMatchObject({ status: 'contacted', name: 'Lead 7' });
});

test('only the same client and options resume an interrupted sync', async () => {
  const { env, cwd } = await start();
  const other = environmentOf(await createCredentials(sql));
  const good = Array.from({ length: 2100 }, (_, n) => `l-${n},Lead ${n},l${n}@example.com\n`);
  writeFileSync(join(cwd, 'leads.csv'), `external_id,name,email\n${good.join('')}`);
  const args = ['sync', 'leads.csv', '--kind', 'leads'];
  // The last batch is rejected.
  const fault = ({ body }: Seen) => (body.includes('"l-2050"') ? { status: 403 } : undefined);
  const { url } = await startFaultProxy(inject('stack').base_url, fault);
  const broken = await runCli(args, { env: { ...env, PLACAR_URL: url }, cwd });
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('2000 lines are done')]);
  env.PLACAR_URL = url;
  other.PLACAR_URL = url;
  for (const [environment, more] of [
    [other, []],
    [env, ['--silent']],
    [env, ['--variant', 'b']],
    [env, ['--map', 'phone=name']],
  ] as const) {
    const { code, stderr } = await runCli([...args, ...more], { env: environment, cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('other credentials or options')]);
  }
  const folder = await runCli(['sync', '.', '--kind', 'leads'], { env, cwd });
  expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('Cannot read')]);
});

test("sends deals in the names of a variant, regardless of the client's variant", async () => {
  const { credentials, env, cwd } = await start();
  const placar = connect(credentials);
  const [first] = await placar.stages.list();
  const content = `external_id,name,value,stage,assigned_to,contact.name,contact.email\nd-1,Big,1500.25,${first?.name},,Zoë,z@example.com\n`;
  writeFileSync(join(cwd, 'deals.csv'), content);
  const args = ['sync', 'deals.csv', '--kind', 'deals', '--variant', 'b'];
  const { code, stdout, stderr } = await runCli(args, { env, cwd });
  expect([code, stderr]).toEqual([0, '']);
  expect(jsonLines(stdout)).toMatchObject([{ kind: 'deals', processed: 1 }]);
  expect(await placar.deals.getByExternalId('d-1')).toMatchObject({
    name: 'Big',
    value: 1500.25,
    contact_name: 'Zoë',
    contact_email: 'z@example.com',
  });
  const wrong = await runCli(['sync', 'deals.csv', '--kind', 'deals', '--map', 'titel=name'], { env, cwd });
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('--map titel: unknown member. Members of deals: name, value,'),
  ]);
});

test.each([
  [['--silent'], '--silent works only with --kind leads and --kind deals.'],
  [['--kind', 'leads'], 'PLACAR_CLIENT_ID'],
  [['--kind', 'leads', '--variant', 'x'], 'must be one of a, b, c'],
])('%j: exit code 2, and nothing is sent', async (flags, said) => {
  const { env, cwd } = await start();
  writeFileSync(join(cwd, 'leads.csv'), 'external_id,name\nl-1,Ana\n');
  const without = { ...env, PLACAR_CLIENT_ID: undefined, PLACAR_CLIENT_SECRET: undefined };
  const { code, stdout, stderr } = await runCli(['sync', 'leads.csv', ...flags], { env: without, cwd });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(said);
});

test('recognizes columns of a Portuguese export, reads a map from a file, and counts a dry run like the import', async () => {
  const { env, cwd } = await start();
  writeFileSync(
    join(cwd, 'contatos.csv'),
    'Código;Nome;E-mail;Telefone;Empresa;Região\nc-1;Ana;ana@contatos.example;1;Loja;Sul\nc-1;Ana;ana@contatos.example;2;Loja;Sul\nc-2;;bia@contatos.example;;;\n',
  );
  writeFileSync(join(cwd, 'map.json'), '{"custom_fields.region": "Região"}');
  const args = ['sync', 'contatos.csv', '--kind', 'leads', '--map-file', 'map.json'];
  const dry = await runCli([...args, '--dry-run'], { env, cwd });
  expect(dry.stderr).toBe(
    'Recognized columns: Código: external_id, Nome: name, E-mail: email, Telefone: phone, Empresa: company\nDry run: nothing was sent.\n',
  );
  const counts = { processed: 1, duplicates: 1, skipped: 1, invalid: 0, conflicts: 1, total: 3 };
  const repeated = { line: 3, external_id: 'c-1', conflict: 'has the id of line 2, and changes its record' };
  expect(jsonLines(dry.stdout)).toEqual([
    repeated,
    { line: 4, field: 'name', rule: 'is required unless the record exists' },
    { kind: 'leads', dry_run: true, ...counts },
  ]);
  const real = await runCli(args, { env, cwd });
  expect(real.code).toBe(3);
  expect(jsonLines(real.stdout)).toContainEqual(repeated);
  expect(jsonLines(real.stdout).at(-1)).toEqual({ kind: 'leads', dry_run: false, ...counts });

  const bad = await runCli(['sync', 'contatos.csv', '--map-file', 'contatos.csv'], { env, cwd });
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('--map-file contatos.csv')]);
});

test('leads with a phone number and no email address: the command says what to do', async () => {
  const { env, cwd } = await start();
  writeFileSync(join(cwd, 'leads.csv'), 'external_id,name,email,phone\n1,Ana,,+55 11 5555-0101\n');
  for (const more of [[], ['--dry-run']]) {
    const { code, stderr } = await runCli(['sync', 'leads.csv', '--kind', 'leads', ...more], { env, cwd });
    expect(code).toBe(3);
    expect(stderr).toContain('1 line has a phone number and no email address, which a new lead needs.');
  }
});

test('deals name their stage, in a column of a Portuguese export too; numbers and unknown stages are explained', async () => {
  const { credentials, env, cwd } = await start();
  writeFileSync(
    join(cwd, 'negocios.csv'),
    'ID;Nome do negócio;Valor;Etapa\n1;Casa;1.250;PROPOSAL\n2;Loja;mil;Proposal\n3;Sala;7;Nowhere\n4;Rua;7;\n',
  );
  const args = ['sync', 'negocios.csv', '--kind', 'deals'];
  const sent = await runCli(args, { env, cwd });
  expect([sent.code, sent.stderr]).toEqual([
    3,
    [
      'Recognized columns: ID: external_id, Nome do negócio: name, Valor: value, Etapa: stage',
      'Valor: 1.250 is read as 1250. Use --locale en if that is wrong.',
      '',
    ].join('\n'),
  ]);
  expect(jsonLines(sent.stdout)).toEqual([
    { line: 3, field: 'value', rule: 'must be a number such as 1.250,50', value: 'mil' },
    {
      line: 4,
      external_id: '3',
      skipped: 'stage does not exist. The stages are: Prospecting, Qualification, Proposal, Negotiation',
    },
    {
      kind: 'deals',
      dry_run: false,
      processed: 2,
      duplicates: 0,
      skipped: 1,
      invalid: 1,
      conflicts: 0,
      total: 4,
    },
  ]);
  const placar = connect(credentials);
  const [first, last] = await Promise.all(['1', '4'].map((id) => placar.deals.getByExternalId(id)));
  expect([first?.value, first?.stage.name, last?.stage.name]).toEqual([1250, 'Proposal', 'Prospecting']);

  writeFileSync(join(cwd, 'negocios.csv'), `external_id,stage\n4,${first?.stage.id}\n`);
  expect((await runCli(args, { env, cwd })).code).toBe(0);
  expect((await placar.deals.getByExternalId('4')).stage.name).toBe('Proposal');
});

test.each([
  ['a', 'Situação', 'status'],
  ['c', 'stage', 'stage'],
] as const)(
  'variant %s: leads have the status of the file after one import',
  async (variant, column, member) => {
    const { credentials, env, cwd } = await start();
    const rows = [
      '1;A;a@x.example;Qualificado',
      '2;B;b@x.example;',
      '3;C;c@x.example;Novo',
      '4;D;d@x.example;contacted',
      '4;D;d@x.example;unqualified',
      '5;E;e@x.example;converted',
    ];
    writeFileSync(join(cwd, 'leads.csv'), `external_id;name;email;${column}\n${rows.join('\n')}\n`);
    const { code, stdout } = await runCli(['sync', 'leads.csv', '--kind', 'leads', '--variant', variant], {
      env,
      cwd,
    });
    expect(code).toBe(3);
    expect(jsonLines(stdout)).toEqual([
      {
        line: 7,
        external_id: '5',
        skipped: expect.stringContaining(`was created without its ${member}: `),
      },
      { line: 6, external_id: '4', conflict: 'has the id of line 5, and changes its record' },
      expect.objectContaining({ processed: 4, duplicates: 1, skipped: 1, conflicts: 1, total: 6 }),
    ]);
    const placar = connect(credentials, { variant });
    const found = await Promise.all(['1', '2', '3', '4'].map((id) => placar.leads.getByExternalId(id)));
    expect(found.map((lead) => ({ ...lead })[member as 'status'])).toEqual([
      'qualified',
      'new',
      'new',
      'unqualified',
    ]);
  },
);
