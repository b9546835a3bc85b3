// Common column names, in English and Portuguese, and the members they stand for.
import type { KindName } from './kind.ts';

/** Folded names (see `fold`) by member; the member's own name needs no alias. */
const COMMON = {
  external_id: ['id', 'code', 'codigo', 'external id', 'id externo', 'crm id', 'record id', 'id do registro'],
  name: [
    'full name',
    'first name',
    'primeiro nome',
    'nome',
    'nome completo',
    'cliente',
    'contact',
    'contato',
  ],
  email: ['e mail', 'mail', 'email address', 'endereco de email', 'correio eletronico'],
  phone: ['telefone', 'celular', 'mobile', 'phone number', 'numero de telefone', 'whatsapp', 'fone'],
};

const COMPANY = [
  'empresa',
  'organization',
  'organization name',
  'organizacao',
  'organizacao nome',
  'nome da empresa',
  'company name',
];

const ALIASES: Record<KindName, Readonly<Record<string, readonly string[]>>> = {
  activities: {
    activity_code: ['activity code', 'code', 'codigo', 'codigo da atividade', 'atividade'],
    external_id: ['id', 'external id', 'id externo', 'activity id', 'id da atividade'],
    collaborator_email: [
      'collaborator email',
      'email',
      'e mail',
      'mail',
      'email do colaborador',
      'e mail do colaborador',
      'email do vendedor',
      'e mail do vendedor',
      'vendedor',
      'salesperson',
      'salesperson email',
    ],
    occurred_at: ['occurred at', 'date', 'data', 'dia', 'when', 'ocorrido em', 'data e hora'],
  },
  collaborators: {
    ...COMMON,
    external_id: [...COMMON.external_id, 'matricula', 'registro', 'employee id'],
    document: ['documento', 'cpf', 'tax id'],
    team: ['equipe', 'time'],
    role: ['cargo', 'funcao', 'job title'],
  },
  leads: {
    ...COMMON,
    company: COMPANY,
    position: ['cargo', 'job title'],
    source: ['origem', 'fonte', 'lead source'],
    status: ['situacao', 'lead status'],
    tags: ['etiquetas', 'labels'],
    notes: ['observacoes', 'anotacoes', 'notas'],
  },
  deals: {
    external_id: COMMON.external_id,
    name: ['deal', 'deal name', 'nome', 'negocio', 'nome do negocio', 'oportunidade', 'titulo', 'title'],
    value: ['amount', 'valor', 'preco', 'deal value'],
    currency: ['moeda'],
    stage: ['etapa', 'fase', 'deal stage'],
    expected_close_date: [
      'close date',
      'expected close date',
      'data de fechamento',
      'previsao de fechamento',
      'fechamento previsto',
      'expected close',
      'data de fechamento esperada',
    ],
    contact_name: [
      'contact',
      'contact person',
      'contato',
      'pessoa de contato',
      'cliente',
      'nome do contato',
      'person name',
      'pessoa nome',
    ],
    priority: ['prioridade'],
    contact_email: [
      ...COMMON.email,
      'email',
      'email do contato',
      'e mail do contato',
      'contact s email',
      'person email',
      'pessoa email',
      'pessoa e mail',
    ],
    company: COMPANY,
    tags: ['etiquetas', 'labels'],
  },
};

/** Pipedrive puts the object in front of a name, as in `Deal - Title`, and the sort behind it, as in `Person - Email - Work`. */
const OBJECTS: Partial<Record<KindName, RegExp>> = {
  leads: /^(?:lead|person|pessoa) /,
  deals: /^(?:deal|negocio) /,
};
const SORT = / - (?:work|home|mobile|other|trabalho|residencial|celular|outros?)$/i;

/** The second columns (folded) of a value that some files have in two, by member, and the first ones. */
const SECONDS: Readonly<Record<string, { first: readonly string[]; second: readonly string[] }>> = {
  name: {
    first: ['first name', 'primeiro nome', 'name', 'nome'],
    second: ['last name', 'surname', 'sobrenome', 'ultimo nome'],
  },
  occurred_at: { first: ['date', 'data', 'dia'], second: ['time', 'hour', 'hora', 'horario'] },
};

/** The column whose cells follow those of the column `first` of a member. */
export function secondColumn(member: string, first: string, names: readonly string[]): string | undefined {
  const found = SECONDS[member];
  return found?.first.includes(fold(first))
    ? names.find((name) => found.second.includes(fold(name)))
    : undefined;
}

/** Portuguese words (folded) for values that the API names. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: {
    novo: 'new',
    contatado: 'contacted',
    qualificado: 'qualified',
    desqualificado: 'unqualified',
    convertido: 'converted',
  },
  priority: { alta: 'high', media: 'medium', baixa: 'low' },
};

/** The API's word for a value, in any case and without accents; the value itself if it is unknown. */
export function wordByAlias(member: string, value: string): string {
  const words = WORDS[member] ?? {};
  const folded = fold(value);
  return words[folded] ?? Object.values(words).find((word) => word === folded) ?? value;
}

/** Lower case, without accents, with single spaces instead of punctuation. */
export const fold = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** The member whose name the column is, in any spelling. */
export const memberSpelledAs = (column: string, members: readonly string[]): string | undefined =>
  members.find((member) => fold(member) === fold(column));

/** The member that a column name stands for; undefined if it is not a known alias. */
export function memberByAlias(kind: KindName, column: string): string | undefined {
  const full = fold(column.replace(SORT, ''));
  const short = column.includes(' - ') ? full.replace(OBJECTS[kind] ?? '', '') : full;
  const memberOf = (folded: string) =>
    Object.entries(ALIASES[kind]).find(
      ([member, names]) => names.includes(folded) || fold(member) === folded,
    )?.[0];
  return memberOf(full) ?? memberOf(short);
}
