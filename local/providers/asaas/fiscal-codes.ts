/** `/fiscalInfo/nbsCodes` and the other lists of codes for IBS and CBS. The lists here are short extracts. */
import { Hono } from 'hono';
import { type AsaasApp, filterBy, page } from './requests.ts';

const NBS_CODES = [
  ['1.1502.10.00', 'Serviços de projeto e desenvolvimento de aplicativos e programas'],
  ['1.1401.11.00', 'Serviços de consultoria em gestão estratégica'],
  ['1.2205.13.00', 'Serviços de treinamento e capacitação profissional'],
] as const;

const nbsCode = (code: string, description: string) => ({
  nbsCode: code,
  codeDescription: `${code} - ${description}`,
});

const generated = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    nbsCode(`1.9${String(index).padStart(3, '0')}.00.00`, `Serviço ${index}`),
  );

const LISTS: Record<string, readonly (readonly [code: string, description: string])[]> = {
  taxSituationCodes: [
    ['000', 'Tributação integral'],
    ['200', 'Alíquota reduzida'],
    ['410', 'Imunidade e não incidência'],
  ],
  taxClassificationCodes: [
    ['000001', 'Situações tributadas integralmente pelo IBS e CBS'],
    ['200028', 'Fornecimento dos serviços de educação'],
  ],
  operationIndicatorCodes: [
    ['020101', 'Operações com bens imóveis'],
    ['100301', 'Demais serviços'],
  ],
};

export function fiscalCodeRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();

  app.get('/nbsCodes', (c) => {
    const known = NBS_CODES.map(([code, description]) => nbsCode(code, description));
    const all = [...known, ...generated(c.get('account').options.moreNbsCodes)];
    const found = filterBy(c, all, {
      codeDescription: ({ codeDescription }, requested) => codeDescription.includes(requested),
    });
    return c.json(page(c, found, (one) => one));
  });

  for (const [path, list] of Object.entries(LISTS)) {
    app.get(`/${path}`, (c) => {
      const all = list.map(([code, description]) => ({ code, description }));
      const found = filterBy(c, all, {
        code: ({ code }, requested) => code === requested,
        description: ({ description }, requested) => description.includes(requested),
      });
      return c.json(page(c, found, (one) => one));
    });
  }
  return app;
}
