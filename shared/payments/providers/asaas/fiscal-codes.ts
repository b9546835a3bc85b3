// Reads Asaas' lists of codes for IBS and CBS.
import { z } from 'zod';
import type { FiscalCodeKind, FiscalCodeList } from '../accounts.ts';
import type { AsaasClient, AsaasPage } from './client.ts';

const PATHS: Record<FiscalCodeKind, string> = {
  nbs_code: '/fiscalInfo/nbsCodes',
  tax_situation_code: '/fiscalInfo/taxSituationCodes',
  tax_classification_code: '/fiscalInfo/taxClassificationCodes',
  operation_indicator_code: '/fiscalInfo/operationIndicatorCodes',
};

const text = z.string().nullish();

/** The list of NBS codes names its members differently. */
const item = z.object({ code: text, nbsCode: text, description: text, codeDescription: text });

const MAX_PAGES = 20;

/** Reads at most `MAX_PAGES` pages of 100 codes. */
export async function readFiscalCodes(client: AsaasClient, kind: FiscalCodeKind): Promise<FiscalCodeList> {
  const codes: FiscalCodeList['codes'] = [];
  let offset: number | undefined = 0;
  for (let pages = 0; offset !== undefined && pages < MAX_PAGES; pages++) {
    const page: AsaasPage<z.infer<typeof item>> = await client.page(PATHS[kind], { offset }, item);
    for (const one of page.items) {
      const code = one.nbsCode ?? one.code;
      if (code) codes.push({ code, description: one.codeDescription ?? one.description ?? null });
    }
    offset = page.nextOffset;
  }
  return { codes, isComplete: offset === undefined };
}
