/** Records of a Brazilian sales company, the same in each CRM. */

export const pipelines = [
  { name: 'Vendas novas', stages: ['Prospecção', 'Qualificação', 'Proposta enviada', 'Negociação'] },
  { name: 'Renovações', stages: ['Aviso de vencimento', 'Reunião de revisão', 'Contrato enviado'] },
];

export const lostReasons = ['Preço', 'Escolheu o concorrente', 'Sem retorno', 'Não tem orçamento'];

export const companies = [
  ...['Padaria Pão de Açúcar Mineiro', 'Clínica Boa Visão', 'Construtora Ipê Amarelo', 'Escola Horizonte'],
  ...['Farmácia São João da Serra', 'Hotel Mirante do Sertão', 'Mercado Três Irmãos', 'Oficina Dois Irmãos'],
  ...[
    'Vinícola Serra Gaúcha',
    'Transportes Aurora Ltda.',
    'Agropecuária Conceição',
    'Estúdio Cinco & Filhos',
  ],
];

const NAMES = [
  ...[
    'Antônio Gonçalves',
    'Bárbara Araújo',
    'Cássia Muniz',
    'Débora Falcão',
    'Érico Magalhães',
    'Fátima Brandão',
  ],
  ...[
    'Gérson Assunção',
    'Heloísa Simões',
    'Íris Camargo',
    'João Pedro de Souza',
    'Kátia Guimarães',
    'Lúcia Mourão',
  ],
  ...['Márcio Antunes', 'Núbia Queirós', 'Otávio Cruz', 'Patrícia Leão', 'Quitéria Bastos', 'Rogério Falcão'],
  ...['Sônia Brito', 'Tiago Conceição', 'Úrsula Paixão', 'Valéria Peçanha', 'Wágner Simões', 'Ximena Corrêa'],
  ...[
    'Yara Tupinambá',
    'Zélia Fogaça',
    'Álvaro Nóbrega',
    'Benício Galvão',
    'Célia Furtado',
    'Dionísio Rebouças',
  ],
  ...[
    'Eugênia Vilaça',
    'Flávio Sampaio',
    'Graça Aranha',
    'Hélio Bragança',
    'Inácio Loureiro',
    'Jéssica Açucena',
  ],
  ...[
    'Leônidas Pimentel',
    'Mônica Sant’Anna',
    "Nelson D'Ávila",
    'Maria das Graças da Silva e Souza Albuquerque',
  ],
];
const JOBS = ['Sócia', 'Gerente de compras', 'Diretor', 'Proprietária', 'Coordenador de operações', null];
const PHONES = [
  ...['(11) 98765-4321', '+55 21 99876-5432', '31988887777', '(85) 3222-1100', '+55 (51) 9 9123-4567'],
  ...['0800 123 4567', '47 3321 9876', '+5571999990000'],
];
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .trim()
    .split(' ')
    .slice(0, 2)
    .join('.');

/** Contacts without an e-mail, by index. */
const WITHOUT_EMAIL = [5, 17, 29, 36];
/** This contact has the e-mail of the one before. */
const DUPLICATE = 12;

interface DemoContact {
  name: string;
  emails: string[];
  phone: string;
  jobTitle: string | null;
}

export const contacts: DemoContact[] = NAMES.map((name, index) => {
  const email = `${plain(NAMES[index === DUPLICATE ? index - 1 : index] ?? name)}@empresa.example`;
  return {
    ...{ name, emails: WITHOUT_EMAIL.includes(index) ? [] : [email] },
    ...{ phone: PHONES[index % PHONES.length] ?? '', jobTitle: JOBS[index % JOBS.length] ?? null },
  };
});

interface DemoDeal {
  name: string;
  /** In reais. */
  value: number;
  /** Index of the stage over all pipelines. */
  stage: number;
  status: 'open' | 'won' | 'lost';
  expectedCloseDate: string;
}

const OFFERS = ['Plano anual', 'Piloto', 'Implantação', 'Licenças extras', 'Renovação', 'Consultoria'];

export const deals: DemoDeal[] = Array.from({ length: 24 }, (_, index) => ({
  name: `${OFFERS[index % OFFERS.length]}: ${companies[index % companies.length]}`,
  value: index === 7 ? 0 : 1500 + index * 1237.5,
  stage: index % 7,
  status: index % 6 === 4 ? 'won' : index % 6 === 5 ? 'lost' : 'open',
  expectedCloseDate: `2026-12-${String((index % 27) + 1).padStart(2, '0')}`,
}));

export const activities = Array.from({ length: 16 }, (_, index) => {
  const type = (['call', 'meeting', 'task'] as const)[index % 3] ?? 'call';
  const subjects = {
    call: 'Ligação de acompanhamento',
    meeting: 'Reunião de apresentação',
    task: 'Enviar proposta',
  };
  return { subject: subjects[type], type, done: index % 2 === 0 };
});
