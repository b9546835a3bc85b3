/**
 * The `taxes` of an NFS-e, with the rules that Asaas publishes: technical note 007 for PIS and COFINS, and the four codes of the tax
 * reform. `pisCofinsTaxStatus` has the values of https://docs.asaas.com/docs/configura%C3%A7%C3%B5es-de-reten%C3%A7%C3%A3o-e-situa%C3%A7%C3%A3o-tribut%C3%A1ria-de-piscofins.
 */
import { z } from 'zod';
import { AsaasError, type ErrorItem } from './errors.ts';
import type { Account, Invoice } from './state.ts';

/** From this day, accounts outside Simples Nacional need a situation and their own rates. */
const NOTE_007_FROM = '2026-06-30';

/** Situations with rates above zero, with rates of zero, and without rates. */
const ABOVE_ZERO = ['STANDARD_TAXABLE_OPERATION', 'DIFFERENTIATED_RATE_TAXABLE_OPERATION'];
const ZERO = ['ZERO_RATE_TAXABLE_OPERATION'];
const WITHOUT = [
  'NONE',
  'EXEMPT_CONTRIBUTION_OPERATION',
  'NON_TAXABLE_OPERATION',
  'TAX_SUSPENSION_OPERATION',
];
const OF_ANY_RATE = [
  'TAXABLE_PER_MEASURE_UNIT_OPERATION',
  'MONOPHASIC_RESALE_ZERO_RATE_OPERATION',
  'TAX_SUBSTITUTION_OPERATION',
  'OTHER_OUTPUT_OPERATION',
  'OTHER_OPERATION',
];

const CODES = ['nbsCode', 'taxSituationCode', 'taxClassificationCode', 'operationIndicatorCode'] as const;

const rate = z.number().min(0).max(100);
const digits = z
  .string()
  .regex(/^\d{1,10}$/)
  .nullish();

/** The seven members without `nullish` are required. */
export const Taxes = z.object({
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
    .nullish(),
  taxSituationCode: digits,
  taxClassificationCode: digits,
  operationIndicatorCode: digits,
  pisCofinsTaxStatus: z.enum([...ABOVE_ZERO, ...ZERO, ...WITHOUT, ...OF_ANY_RATE]).nullish(),
  operationPis: rate.nullish(),
  operationCofins: rate.nullish(),
  /** "Do not send this field in the request." */
  pisCofinsRetentionType: z.undefined().optional(),
});
export type Taxes = z.output<typeof Taxes>;

const fault = (member: string, problem: string): ErrorItem => ({
  code: `invalid_taxes.${member}`,
  description: `O campo taxes.${member} ${problem}`,
});

function rateFaults(taxes: Taxes): ErrorItem[] {
  const status = taxes.pisCofinsTaxStatus ?? '';
  return (['operationPis', 'operationCofins'] as const).flatMap((member) => {
    const given = taxes[member] ?? null;
    if (ABOVE_ZERO.includes(status) && !(given !== null && given > 0))
      return [fault(member, 'deve ser maior que zero para esta situação tributária.')];
    if (ZERO.includes(status) && given !== 0)
      return [fault(member, 'deve ser zero para esta situação tributária.')];
    if (WITHOUT.includes(status) && given !== null)
      return [fault(member, 'deve ser nulo para esta situação tributária.')];
    return [];
  });
}

/** Throws a 400 with every problem of the taxes on the day on which the invoice is issued. */
export function checkTaxes(account: Account, taxes: Taxes, effectiveDate: string): void {
  const isSimples = account.fiscalInfo?.simplesNacional !== false;
  const faults = rateFaults(taxes);
  if (!isSimples && effectiveDate >= NOTE_007_FROM && !taxes.pisCofinsTaxStatus)
    faults.push(fault('pisCofinsTaxStatus', 'é obrigatório para empresas do Regime Normal.'));
  const { normal, simples } = account.options.ibsCbsRequiredFrom;
  const requiredFrom = isSimples ? simples : normal;
  if (requiredFrom !== null && effectiveDate >= requiredFrom)
    for (const member of CODES)
      if (!taxes[member]) faults.push(fault(member, 'é obrigatório para a emissão com IBS e CBS.'));
  if (faults.length > 0) throw new AsaasError(400, faults);
}

/** Test rates of 2026, in percent. */
const RATES = { stateIbs: 0.1, municipalIbs: 0, cbs: 0.9 };

const share = (cents: number, percent: number): number => Math.round((cents * percent) / 100) / 100;

/** The taxes in a response. IBS and CBS appear with the issued document, if it is classified. */
export function renderTaxes({ details, value, number }: Invoice) {
  const taxes: Partial<Taxes> = Object(details.taxes);
  const { stateIbs, municipalIbs, cbs } = RATES;
  const isCalculated = number !== null && Boolean(taxes.nbsCode);
  const isWithheld = [taxes.pis, taxes.cofins, taxes.csll].some((percent) => (percent ?? 0) > 0);
  const codes = Object.fromEntries(CODES.map((member) => [member, taxes[member] ?? null]));
  return {
    ...taxes,
    ...codes,
    pisCofinsTaxStatus: taxes.pisCofinsTaxStatus ?? null,
    operationPis: taxes.operationPis ?? null,
    operationCofins: taxes.operationCofins ?? null,
    pisCofinsRetentionType: isWithheld ? 'WITHHELD' : 'NOT_WITHHELD',
    stateIbs: isCalculated ? stateIbs : null,
    stateIbsValue: isCalculated ? share(value, stateIbs) : null,
    municipalIbs: isCalculated ? municipalIbs : null,
    municipalIbsValue: isCalculated ? share(value, municipalIbs) : null,
    cbs: isCalculated ? cbs : null,
    cbsValue: isCalculated ? share(value, cbs) : null,
  };
}
