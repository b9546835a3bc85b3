// Maps the taxes of tax documents to Asaas' names, and the calculated IBS and CBS back.
import { toMinorUnits } from '../../formats/currencies.ts';
import type { DocumentTaxes, IssuedTaxes } from '../tax-document-port.ts';
import type { FiscalInvoice } from './resources.ts';
import type { FiscalSettings } from './settings.ts';

/** Asaas' PIS/COFINS status by CST, and the issuer's rate to send with it if the order has none. */
const SITUATIONS: Readonly<Record<string, { status: string; rate: 0 | null }>> = {
  '00': { status: 'NONE', rate: null },
  '01': { status: 'STANDARD_TAXABLE_OPERATION', rate: null },
  '02': { status: 'DIFFERENTIATED_RATE_TAXABLE_OPERATION', rate: null },
  // Unconfirmed: for 03, 04, 05, 49 and 99, Asaas documents no rule about the rates.
  '03': { status: 'TAXABLE_PER_MEASURE_UNIT_OPERATION', rate: null },
  '04': { status: 'MONOPHASIC_RESALE_ZERO_RATE_OPERATION', rate: null },
  '05': { status: 'TAX_SUBSTITUTION_OPERATION', rate: null },
  '06': { status: 'ZERO_RATE_TAXABLE_OPERATION', rate: 0 },
  '07': { status: 'EXEMPT_CONTRIBUTION_OPERATION', rate: null },
  '08': { status: 'NON_TAXABLE_OPERATION', rate: null },
  '09': { status: 'TAX_SUSPENSION_OPERATION', rate: null },
  '49': { status: 'OTHER_OUTPUT_OPERATION', rate: null },
  '99': { status: 'OTHER_OPERATION', rate: null },
};

/** The taxes of `POST /invoices`. Asaas requires the first seven, and calculates `pisCofinsRetentionType` itself. */
export function toAsaasTaxes(taxes: DocumentTaxes, format: FiscalSettings['nbs_code_format']) {
  const situation = taxes.pis_cofins_cst === undefined ? undefined : SITUATIONS[taxes.pis_cofins_cst];
  return {
    retainIss: taxes.retain_iss ?? false,
    iss: taxes.iss ?? 0,
    pis: taxes.pis ?? 0,
    cofins: taxes.cofins ?? 0,
    csll: taxes.csll ?? 0,
    inss: taxes.inss ?? 0,
    ir: taxes.ir ?? 0,
    ...(situation && { pisCofinsTaxStatus: situation.status }),
    // `undefined` is left out of the body, null is sent.
    operationPis: taxes.operation_pis ?? situation?.rate,
    operationCofins: taxes.operation_cofins ?? situation?.rate,
    nbsCode: taxes.nbs_code && inFormat(taxes.nbs_code, format),
    taxSituationCode: taxes.tax_situation_code,
    taxClassificationCode: taxes.tax_classification_code,
    operationIndicatorCode: taxes.operation_indicator_code,
  };
}

/** Unconfirmed: Asaas' examples have points, other systems send digits. So it is a setting. */
const inFormat = (digits: string, format: FiscalSettings['nbs_code_format']): string =>
  format === 'dotted' ? digits.replace(/^(.)(.{4})(..)(..)$/, '$1.$2.$3.$4') : digits;

export function issuedTaxesOf({ taxes }: FiscalInvoice): IssuedTaxes {
  const amount = (reais: number | null | undefined) =>
    typeof reais === 'number' ? toMinorUnits(reais, 'BRL') : null;
  return {
    state_ibs_percent: taxes?.stateIbs ?? null,
    state_ibs_amount: amount(taxes?.stateIbsValue),
    municipal_ibs_percent: taxes?.municipalIbs ?? null,
    municipal_ibs_amount: amount(taxes?.municipalIbsValue),
    cbs_percent: taxes?.cbs ?? null,
    cbs_amount: amount(taxes?.cbsValue),
  };
}
