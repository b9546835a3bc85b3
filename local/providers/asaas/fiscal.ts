/** `/fiscalInfo`: the settings required to issue NFS-e, and the requirements of the municipality. */
import { Hono } from 'hono';
import { z } from 'zod';
import { notFound } from './errors.ts';
import { fiscalCodeRoutes } from './fiscal-codes.ts';
import type { AccountOptions } from './options.ts';
import { type AsaasApp, filterBy, page, readBody } from './requests.ts';

const FiscalInfo = z.object({
  email: z.email(),
  simplesNacional: z.boolean(),
  municipalInscription: z.string().nullish(),
  culturalProjectsPromoter: z.boolean().nullish(),
  cnae: z.string().nullish(),
  specialTaxRegime: z.string().nullish(),
  serviceListItem: z.string().nullish(),
  nbsCode: z.string().nullish(),
  rpsSerie: z.string().nullish(),
  rpsNumber: z.int().nullish(),
  loteNumber: z.int().nullish(),
  username: z.string().nullish(),
  password: z.string().nullish(),
  accessToken: z.string().nullish(),
  nationalPortalTaxCalculationRegime: z.string().nullish(),
});

/** Renders the settings. Secrets are shown only as present or absent. */
export function renderFiscalInfo(info: Record<string, unknown>) {
  const { password, accessToken, ...shown } = info;
  return {
    object: 'customerFiscalInfo',
    ...shown,
    passwordSent: typeof password === 'string',
    accessTokenSent: typeof accessToken === 'string',
    certificateSent: false,
  };
}

/** Settings of a configured account. */
export const fiscalInfoOf = (
  email: string,
  { simplesNacional, useNationalPortal }: Pick<AccountOptions, 'simplesNacional' | 'useNationalPortal'>,
): Record<string, unknown> => ({
  email,
  municipalInscription: '21779501',
  simplesNacional,
  ...(useNationalPortal !== null && { useNationalPortal }),
  culturalProjectsPromoter: false,
  cnae: '6209100',
  specialTaxRegime: '0',
  serviceListItem: '01.01',
  nbsCode: null,
  rpsSerie: '1',
  rpsNumber: 1,
  loteNumber: null,
  username: 'integracao',
  nationalPortalTaxCalculationRegime: null,
  password: 'kept',
});

/** Services of the municipality. */
export const MUNICIPAL_SERVICES = [
  { id: '3544', description: '1.01 - Análise e desenvolvimento de sistemas', issTax: 2 },
  { id: '2360', description: '1.02 - Programação', issTax: 2 },
  { id: '4190', description: '17.01 - Assessoria ou consultoria de qualquer natureza', issTax: 5 },
];

export function fiscalRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  app.route('/fiscalInfo', fiscalCodeRoutes());

  app.get('/fiscalInfo/municipalOptions', (c) =>
    c.json({
      authenticationType: 'USER_AND_PASSWORD',
      supportsCancellation: c.get('account').options.supportsCancellation,
      usesSpecialTaxRegimes: false,
      usesServiceListItem: true,
      specialTaxRegimesList: [],
      nationalPortalTaxCalculationRegimeList: [],
      nationalPortalTaxCalculationRegimeHelp: null,
      municipalInscriptionHelp: 'Somente números.',
      specialTaxRegimeHelp: null,
      serviceListItemHelp: 'Exemplo: 01.01',
      digitalCertificatedHelp: null,
      accessTokenHelp: null,
      municipalServiceCodeHelp: 'Exemplo: 1.01',
    }),
  );

  app.get('/fiscalInfo/services', (c) => {
    const found = filterBy(c, MUNICIPAL_SERVICES, {
      description: ({ description }, requested) =>
        description.toLowerCase().includes(requested.toLowerCase()),
    });
    return c.json(page(c, found, (service) => service));
  });

  // The reference has a trailing slash, the guides do not.
  for (const path of ['/fiscalInfo', '/fiscalInfo/']) {
    app.get(path, (c) => {
      const { fiscalInfo } = c.get('account');
      if (fiscalInfo === null) throw notFound();
      return c.json(renderFiscalInfo(fiscalInfo));
    });
    app.post(path, async (c) => {
      const account = c.get('account');
      const given = await readBody(c, FiscalInfo);
      account.fiscalInfo = { ...account.fiscalInfo, ...given };
      return c.json(renderFiscalInfo(account.fiscalInfo));
    });
  }
  return app;
}
