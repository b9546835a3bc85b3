/** `/fiscalInfo`: the settings required to issue NFS-e, and the lists of codes. */
import { Hono } from 'hono';
import { notFound } from './desk.ts';
import { type AsaasApp, page } from './requests.ts';

/** Short extracts of the lists of codes for IBS and CBS. */
const NBS_CODES = ['1.1502.10.00', '1.1401.11.00', '1.2205.13.00'];
const CODE_LISTS = {
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

export function fiscalRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  // The reference has a trailing slash.
  app.get('/fiscalInfo/', (c) => {
    const { fiscalInfo, simplesNacional, useNationalPortal } = c.get('desk').account.options;
    if (!fiscalInfo) throw notFound();
    return c.json({
      object: 'customerFiscalInfo',
      email: 'financeiro@demo.example',
      municipalInscription: '21779501',
      simplesNacional,
      ...(useNationalPortal !== null && { useNationalPortal }),
      cnae: '6209100',
      rpsSerie: '1',
    });
  });
  app.get('/fiscalInfo/municipalOptions', (c) => {
    const { supportsCancellation } = c.get('desk').account.options;
    return c.json({ authenticationType: 'USER_AND_PASSWORD', supportsCancellation });
  });
  app.get('/fiscalInfo/nbsCodes', (c) => {
    const { moreNbsCodes } = c.get('desk').account.options;
    const more = Array.from({ length: moreNbsCodes }, (_, n) => `1.9${String(n).padStart(3, '0')}.00.00`);
    return page(c, [...NBS_CODES, ...more], (nbsCode) => ({
      nbsCode,
      codeDescription: `${nbsCode} - Serviço`,
    }));
  });
  for (const [path, list] of Object.entries(CODE_LISTS))
    app.get(`/fiscalInfo/${path}`, (c) => page(c, list, ([code, description]) => ({ code, description })));
  return app;
}
