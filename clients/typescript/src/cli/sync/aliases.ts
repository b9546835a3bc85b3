// Common column names, in English and Portuguese, and the members they stand for.
import type { KindName } from './kind.ts';

/** Folded names (see `fold`) by member; the member's own name needs no alias. */
const COMMON = {
  external_id: ['id', 'code', 'codigo', 'external id', 'id externo', 'crm id', 'record id', 'id do registro'],
  name: ['full name', 'nome', 'nome completo', 'cliente', 'contact', 'contato'],
  email: ['e mail', 'mail', 'email address', 'endereco de email', 'correio eletronico'],
  phone: ['telefone', 'celular', 'mobile', 'phone number', 'numero de telefone', 'whatsapp', 'fone'],
};

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
    occurred_at: ['occurred at', 'date', 'data', 'when', 'ocorrido em', 'data e hora'],
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
    company: ['empresa', 'organization', 'organizacao', 'nome da empresa', 'company name'],
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
    ],
    contact_name: ['contact', 'contato', 'cliente', 'nome do contato'],
    priority: ['prioridade'],
    contact_email: ['email', 'e mail', 'mail', 'email do contato', 'e mail do contato'],
    company: ['empresa', 'organization', 'organizacao', 'nome da empresa', 'company name'],
    tags: ['etiquetas', 'labels'],
  },
};

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

/** The member that a column name stands for; undefined if it is not a known alias. */
export function memberByAlias(kind: KindName, column: string): string | undefined {
  const folded = fold(column);
  const found = Object.entries(ALIASES[kind]).find(
    ([member, names]) => names.includes(folded) || fold(member) === folded,
  );
  return found?.[0];
}
