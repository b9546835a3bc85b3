// Common column names, in English and Portuguese, and the members they stand for.
import type { KindName } from './kind.ts';

/** Folded names (see `fold`) by member; the member's own name needs no alias. */
const COMMON = {
  external_id: ['id', 'code', 'codigo', 'external id', 'id externo', 'crm id', 'record id'],
  name: ['full name', 'nome', 'nome completo', 'cliente', 'contact', 'contato'],
  email: ['e mail', 'mail', 'email address', 'endereco de email', 'correio eletronico'],
  phone: ['telefone', 'celular', 'mobile', 'phone number', 'whatsapp', 'fone'],
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
    document: ['documento', 'cpf', 'tax id'],
    team: ['equipe', 'time'],
    role: ['cargo', 'funcao', 'job title'],
  },
  leads: {
    ...COMMON,
    company: ['empresa', 'organization', 'organizacao'],
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
    ],
    contact_name: ['contact', 'contato', 'cliente', 'nome do contato'],
    contact_email: ['email', 'e mail', 'mail', 'email do contato', 'e mail do contato'],
    company: ['empresa', 'organization', 'organizacao'],
    tags: ['etiquetas', 'labels'],
  },
};

/** Lower case, without accents, with single spaces instead of punctuation. */
const fold = (name: string): string =>
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
