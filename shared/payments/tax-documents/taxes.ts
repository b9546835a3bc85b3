// The taxes of a tax document: the members of requests and settings, and the rules of a single request. The database merges
// requests with settings and applies the dated rules (`private.effective_taxes`, database/payments/taxes.sql).
import { z } from 'zod';
import type { ErrorDetail } from '../../platform/errors.ts';
import { oneOf, text } from '../../platform/validation.ts';
import type { DocumentTaxes } from '../providers/tax-document-port.ts';
import { objectOf, optional } from '../requests/fields.ts';

/** Which of the issuer's PIS and COFINS rates a CST allows. Purchases have other situations. The same as `private.pis_cofins_rates`. */
export const ratesByCst = {
  '00': 'none',
  '01': 'above_zero',
  '02': 'above_zero',
  '03': 'any',
  '04': 'any',
  '05': 'any',
  '06': 'zero',
  '07': 'none',
  '08': 'none',
  '09': 'none',
  '49': 'any',
  '99': 'any',
} as const;

type Cst = keyof typeof ratesByCst;

// `Object.keys` sorts keys that look like integers, such as 49, before the others.
const CSTS = Object.keys(ratesByCst).sort() as [Cst, ...Cst[]];

const RATE_RULE = 'must be a number from 0 to 100 with at most 4 decimals';

const rate = (description: string) =>
  optional(
    z
      .number({ error: RATE_RULE })
      .refine((value) => value >= 0 && value <= 100 && /^\d+(\.\d{1,4})?$/.test(String(value)), {
        error: RATE_RULE,
      })
      .meta({ type: 'number', minimum: 0, maximum: 100 }),
  ).meta({ type: ['number', 'null'], description });

const code = (description: string) =>
  optional(
    text()
      .refine((value) => /^\d{1,10}$/.test(value), { error: 'must be a string of 1 to 10 digits' })
      .meta({ pattern: '^[0-9]{1,10}$' }),
  ).describe(description);

export const taxesSchema = objectOf({
  retain_iss: optional(z.boolean({ error: 'must be true or false' })).describe(
    'Whether the customer withholds ISS.',
  ),
  iss: rate('ISS rate in percent.'),
  pis: rate('PIS that the customer withholds, in percent.'),
  cofins: rate('COFINS that the customer withholds, in percent.'),
  csll: rate('CSLL that the customer withholds, in percent.'),
  inss: rate('INSS that the customer withholds, in percent.'),
  ir: rate('Income tax that the customer withholds, in percent.'),
  pis_cofins_cst: optional(oneOf(CSTS)).meta({
    // In this order instead of that of numbers.
    enum: [...CSTS, null],
    description: 'Situation (CST) of PIS and COFINS.',
  }),
  operation_pis: rate("The issuer's own PIS rate in percent. Required, above 0, with CST 01 and 02."),
  operation_cofins: rate("The issuer's own COFINS rate in percent. Required, above 0, with CST 01 and 02."),
  nbs_code: optional(
    text()
      .refine((value) => /^(\d{9}|\d\.\d{4}\.\d{2}\.\d{2})$/.test(value), {
        error: 'must be 9 digits, or written like 1.2345.67.89',
      })
      .meta({ pattern: '^([0-9]{9}|[0-9]\\.[0-9]{4}\\.[0-9]{2}\\.[0-9]{2})$' }),
  ).describe('Code of the service in the NBS: 9 digits, or written like 1.2345.67.89.'),
  tax_situation_code: code('Tax situation (CST) of IBS and CBS, such as 000.'),
  tax_classification_code: code('Tax classification (cClassTrib) of IBS and CBS, such as 000001.'),
  operation_indicator_code: code('Operation indicator (cIndOp), such as 100301.'),
}).meta({
  id: 'DocumentTaxes',
  description:
    "Taxes of the document. Absent members come from the account's settings, an absent object from the invoice's request.",
});

/** Rates that contradict the CST of the same request. Rates from settings are dropped instead. `at` is the path of the taxes. */
export function taxErrors(taxes: DocumentTaxes | undefined, at: string): ErrorDetail[] {
  const { pis_cofins_cst: cst } = taxes ?? {};
  return (['operation_pis', 'operation_cofins'] as const).flatMap((member) => {
    const problem = rateProblem(cst, taxes?.[member]);
    return problem ? [{ field: `${at}.${member}`, message: `${problem} with pis_cofins_cst ${cst}` }] : [];
  });
}

function rateProblem(cst: string | undefined, percent: number | undefined): string | undefined {
  if (cst === undefined || percent === undefined) return undefined;
  const rule = ratesByCst[cst as Cst]; // the schema accepts no others
  if (rule === 'none') return 'must not be sent';
  if (rule === 'zero' && percent > 0) return 'must be 0';
  return rule === 'above_zero' && percent === 0 ? 'must be above 0' : undefined;
}
