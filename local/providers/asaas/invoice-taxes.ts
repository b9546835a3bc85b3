/** The `taxes` of an NFS-e, with the rules that Asaas publishes: technical note 007 for PIS and COFINS, and the codes of the tax reform. */
import { z } from 'zod';
import { asaasError, type Desk, type ErrorItem, toReais } from './desk.ts';
import type { Invoice } from './state.ts';

/** From this day, accounts outside Simples Nacional need a situation and their own rates: technical note 007. */
const NOTE_007_FROM = '2026-06-30';
const CODES = ['nbsCode', 'taxSituationCode', 'taxClassificationCode', 'operationIndicatorCode'] as const;
/** Situations whose rates must be above zero, zero, or absent. Others may have any. */
const RATES_OF: Record<string, (rate: number | null) => boolean> = {
  STANDARD_TAXABLE_OPERATION: (rate) => (rate ?? 0) > 0,
  DIFFERENTIATED_RATE_TAXABLE_OPERATION: (rate) => (rate ?? 0) > 0,
  ZERO_RATE_TAXABLE_OPERATION: (rate) => rate === 0,
  NONE: (rate) => rate === null,
  EXEMPT_CONTRIBUTION_OPERATION: (rate) => rate === null,
  NON_TAXABLE_OPERATION: (rate) => rate === null,
  TAX_SUSPENSION_OPERATION: (rate) => rate === null,
};
const OTHER_SITUATIONS = [
  'TAXABLE_PER_MEASURE_UNIT_OPERATION',
  'MONOPHASIC_RESALE_ZERO_RATE_OPERATION',
  'TAX_SUBSTITUTION_OPERATION',
  'OTHER_OUTPUT_OPERATION',
  'OTHER_OPERATION',
];

const rate = z.number().min(0).max(100);
const code = z.string().regex(/^\d{1,10}$/);
export const Taxes = z.strictObject({
  retainIss: z.boolean(),
  iss: rate,
  cofins: rate,
  csll: rate,
  inss: rate,
  ir: rate,
  pis: rate,
  /** The published example is `1.0101.11.00`; that digits are accepted is unconfirmed. */
  nbsCode: z
    .string()
    .regex(/^(\d{9}|\d\.\d{4}\.\d{2}\.\d{2})$/)
    .optional(),
  taxSituationCode: code.optional(),
  taxClassificationCode: code.optional(),
  operationIndicatorCode: code.optional(),
  pisCofinsTaxStatus: z.enum([...Object.keys(RATES_OF), ...OTHER_SITUATIONS]).optional(),
  operationPis: rate.nullish(),
  operationCofins: rate.nullish(),
});
/** Throws a 400 with every problem of the taxes on the day on which the invoice is issued. */
export function checkTaxes({ account }: Desk, taxes: z.output<typeof Taxes>, effectiveDate: string): void {
  const { simplesNacional, ibsCbsRequiredFrom } = account.options;
  const isSimples = simplesNacional !== false;
  const faults: ErrorItem[] = [];
  const fault = (member: string, problem: string) =>
    faults.push({ code: `invalid_taxes.${member}`, description: `O campo taxes.${member} ${problem}` });
  for (const member of ['operationPis', 'operationCofins'] as const)
    if (RATES_OF[taxes.pisCofinsTaxStatus ?? '']?.(taxes[member] ?? null) === false)
      fault(member, 'é inválido para esta situação tributária.');
  if (!isSimples && effectiveDate >= NOTE_007_FROM && !taxes.pisCofinsTaxStatus)
    fault('pisCofinsTaxStatus', 'é obrigatório para empresas do Regime Normal.');
  const from = isSimples ? ibsCbsRequiredFrom.simples : ibsCbsRequiredFrom.normal;
  if (from && effectiveDate >= from)
    for (const member of CODES)
      if (!taxes[member]) fault(member, 'é obrigatório para a emissão com IBS e CBS.');
  if (faults.length > 0) throw asaasError(400, faults);
}

/** Test rates of 2026, in percent. */
const RATES = { stateIbs: 0.1, municipalIbs: 0, cbs: 0.9 };

/** IBS and CBS appear with the issued document, if it is classified. */
export function renderTaxes({ taxes, value, number }: Invoice) {
  const calculated = Object.entries(RATES).flatMap(([name, percent]) => {
    const isKnown = number !== null && Boolean(taxes.nbsCode);
    const cents = Math.round((value * percent) / 100);
    return [
      [name, isKnown ? percent : null],
      [`${name}Value`, isKnown ? toReais(cents) : null],
    ];
  });
  return { ...taxes, pisCofinsRetentionType: 'NOT_WITHHELD', ...Object.fromEntries(calculated) };
}
