// The part of the national layout of NFS-e (1.01: NFSe, tiposComplexos and tiposSimples of the Sistema Nacional NFS-e, published at
// https://www.gov.br/nfse/pt-br/biblioteca/documentacao-tecnica) that our documents use, to check them without those files: which
// elements exist, in which order, and what each may contain. Elements that we never write are listed by name only.
import { XMLParser } from 'fast-xml-parser';

/** An element: its name; whether it is required (`!`), optional (`?`), or one of several alternatives (`|`); its content. */
type Element = readonly [name: string, occurs: '!' | '?' | '|', holds?: RegExp | readonly Element[]];

const DAY = '20\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const LINE = '[!-\\u00ff]([ -\\u00ff]*[!-\\u00ff])?';
const line = (max: number) => new RegExp(`^(?=.{1,${max}}$)${LINE}$`, 'su');
const text = (max: number) => new RegExp(`^.{1,${max}}$`, 'su');
const instant = new RegExp(`^${DAY}T([01]\\d|2[0-3])(:[0-5]\\d){2}([-+](0\\d|1[01]):00|\\+12:00)$`);
const money = /^(0|0\.\d{2}|[1-9]\d{0,14}(\.\d{2})?)$/;
const municipality = /^\d{7}$/;
const number = (digits: number) => new RegExp(`^[1-9]\\d{0,${digits - 1}}$`);
const others = (...names: string[]): Element[] => names.map((name) => [name, '?', /^\b$/]);

const person: Element[] = [
  ['CNPJ', '|', /^[0-9A-Z]{14}$/],
  ['CPF', '|', /^\d{11}$/],
];
const personOrNone: Element[] = [...person, ['NIF', '|', text(40)], ['cNaoNIF', '|', /^[012]$/]];
const contact: Element[] = [...others('fone'), ['email', '?', line(80)]];

const declaration: Element[] = [
  ['tpAmb', '!', /^[12]$/],
  ['dhEmi', '!', instant],
  ['verAplic', '!', line(20)],
  ['serie', '!', /^(?!0+$)\d{1,5}$/],
  ['nDPS', '!', number(15)],
  ['dCompet', '!', new RegExp(`^${DAY}$`)],
  ['tpEmit', '!', /^[123]$/],
  ...others('cMotivoEmisTI', 'chNFSeRej'),
  ['cLocEmi', '!', municipality],
  ...others('subst'),
  [
    'prest',
    '!',
    [
      ...personOrNone,
      ...others('CAEPF', 'IM', 'xNome', 'end'),
      ...contact,
      [
        'regTrib',
        '!',
        [['opSimpNac', '!', /^[123]$/], ...others('regApTribSN'), ['regEspTrib', '!', /^[0-6]$/]],
      ],
    ],
  ],
  [
    'toma',
    '?',
    [...personOrNone, ...others('CAEPF', 'IM'), ['xNome', '!', text(300)], ...others('end'), ...contact],
  ],
  ...others('interm'),
  [
    'serv',
    '!',
    [
      [
        'locPrest',
        '!',
        [
          ['cLocPrestacao', '|', municipality],
          ['cPaisPrestacao', '|', /^[A-Z]{2}$/],
        ],
      ],
      [
        'cServ',
        '!',
        [
          ['cTribNac', '!', /^\d{6}$/],
          ...others('cTribMun'),
          ['xDescServ', '!', text(2000)],
          ['cNBS', '!', /^\d{9}$/],
          ['cIntContrib', '?', /^[a-zA-Z0-9]{1,20}$/],
        ],
      ],
      ...others('comExt', 'obra', 'atvEvento', 'explRod', 'infoCompl'),
    ],
  ],
  [
    'valores',
    '!',
    [
      ['vServPrest', '!', [...others('vReceb'), ['vServ', '!', money]]],
      ...others('vDescCondIncond', 'vDedRed'),
      [
        'trib',
        '!',
        [
          [
            'tribMun',
            '!',
            [
              ['tribISSQN', '!', /^[1-4]$/],
              ...others('cPaisResult', 'tpImunidade', 'exigSusp', 'BM'),
              ['tpRetISSQN', '!', /^[123]$/],
              ...others('pAliq'),
            ],
          ],
          ...others('tribFed'),
          ['totTrib', '!', [['indTotTrib', '!', /^0$/]]],
        ],
      ],
    ],
  ],
  ...others('IBSCBS'),
];

const address: Element[] = [
  ['xLgr', '!', line(255)],
  ['nro', '!', line(60)],
  ...others('xCpl'),
  ['xBairro', '!', line(60)],
  ['cMun', '!', municipality],
  ['UF', '!', /^(A[CLMP]|BA|CE|DF|ES|GO|M[AGST]|P[ABEIR]|R[JNORS]|S[CEP]|TO)$/],
  ['CEP', '!', /^\d{8}$/],
];

const document: Element[] = [
  ['xLocEmi', '!', line(150)],
  ['xLocPrestacao', '!', line(150)],
  ['nNFSe', '!', number(13)],
  ...others('cLocIncid', 'xLocIncid'),
  ['xTribNac', '!', line(600)],
  ...others('xTribMun', 'xNBS'),
  ['verAplic', '!', line(20)],
  ['ambGer', '!', /^[12]$/],
  ['tpEmis', '!', /^[12]$/],
  // Editions of the layout differ in whether this element and cNBS are required.
  ['procEmi', '!', /^[123]$/],
  ['cStat', '!', /^10[01237]$/],
  ['dhProc', '!', instant],
  ['nDFSe', '!', number(13)],
  [
    'emit',
    '!',
    [
      ...person,
      ...others('IM'),
      ['xNome', '!', text(300)],
      ...others('xFant'),
      ['enderNac', '!', address],
      ...contact,
    ],
  ],
  ...others('xOutInf'),
  [
    'valores',
    '!',
    [
      ...others('vCalcDR', 'tpBM', 'vCalcBM', 'vBC', 'pAliqAplic', 'vISSQN', 'vTotalRet'),
      ['vLiq', '!', money],
    ],
  ],
  ...others('IBSCBS'),
  ['DPS', '!', [['infDPS', '!', declaration]]],
];

/** An element as the parser returns it: a member with its name, and one with its attributes. */
type Parsed = Record<string, unknown>;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
});

const nameOf = (parsed: Parsed) => Object.keys(parsed).find((key) => key !== ':@') ?? '';
const contentOf = (parsed: Parsed) => parsed[nameOf(parsed)] as Parsed[];
const textOf = (content: Parsed[]) => content.map((one) => one['#text'] ?? '').join('');

/** Violations of the layout, each with its path. */
function faultsIn(content: Parsed[], layout: readonly Element[], path: string): string[] {
  const names = content.map(nameOf);
  const order = layout.map(([name]) => name);
  const known = order.filter((name) => names.includes(name));
  const faults: string[] = [];
  if (names.join() !== known.join()) faults.push(`${path}: has ${names.join()} instead of ${known.join()}`);
  for (const [name, occurs] of layout) {
    if (occurs === '!' && !names.includes(name)) faults.push(`${path}/${name}: is missing`);
  }
  const choice = layout.filter(([, occurs]) => occurs === '|').map(([name]) => name);
  if (choice.length > 0 && choice.filter((name) => names.includes(name)).length !== 1) {
    faults.push(`${path}: has not one of ${choice.join()}`);
  }
  for (const parsed of content) {
    const [name, , holds] = layout.find(([one]) => one === nameOf(parsed)) ?? [];
    if (!name || !holds) continue;
    const inner = contentOf(parsed);
    const value = textOf(inner);
    if (!(holds instanceof RegExp)) faults.push(...faultsIn(inner, holds, `${path}/${name}`));
    else if (inner.some((one) => nameOf(one) !== '#text') || !holds.test(value)) {
      faults.push(`${path}/${name}: "${value}" is not ${holds}`);
    }
  }
  return faults;
}

/** Violations of the layout in a document, except its missing signature. */
export function layoutFaults(xml: string): string[] {
  const [declared, root, ...more]: Parsed[] = parser.parse(xml);
  const info = root && contentOf(root)[0];
  if (!declared || !root || !info || more.length > 0 || nameOf(root) !== 'NFSe')
    return ['NFSe: is not the root'];
  const dps = contentOf(info).find((one) => nameOf(one) === 'DPS');
  const infDps = dps && contentOf(dps)[0];
  const attributes = [root, info, dps, infDps].map((one) => one?.[':@']);
  const [ofRoot, ofInfo, ofDps, ofInfDps] = attributes as Record<string, string>[];
  return [
    ...(nameOf(info) === 'infNFSe' && contentOf(root).length === 1 ? [] : ['NFSe: has not infNFSe alone']),
    ...(ofRoot?.xmlns === 'http://www.sped.fazenda.gov.br/nfse' ? [] : ['NFSe/@xmlns']),
    ...(ofRoot?.versao === '1.01' && ofDps?.versao === '1.01' ? [] : ['NFSe/@versao']),
    ...(/^NFS\d{50}$/.test(ofInfo?.Id ?? '') ? [] : ['infNFSe/@Id']),
    ...(/^DPS\d{42}$/.test(ofInfDps?.Id ?? '') ? [] : ['infDPS/@Id']),
    ...faultsIn(contentOf(info), document, 'infNFSe'),
  ];
}
