// What an admin said of the account's fiscal set-up when connecting it.
import { z } from 'zod';

const rate = z.number().default(0);

/** Asaas requires all seven. */
const taxes = z.object({
  retainIss: z.boolean().default(false),
  iss: rate,
  pis: rate,
  cofins: rate,
  csll: rate,
  inss: rate,
  ir: rate,
});

const service = z.object({
  /** Of the city's own list. */
  code: z.string().optional(),
  /** Asaas' id of it. */
  id: z.string().optional(),
  name: z.string().optional(),
});

const settings = z.object({
  municipal_service_code: z.string().optional(),
  municipal_service_name: z.string().optional(),
  /** By our `service_code`. */
  services: z.record(z.string(), service).default({}),
  taxes: taxes.prefault({}),
  observations: z.string().optional(),
  deductions: z.number().default(0),
});

export type FiscalSettings = z.infer<typeof settings>;

/** Throws for settings that were never checked. Taxes may hold more than the seven; only they are sent. */
export function fiscalSettings(given: Record<string, unknown>): FiscalSettings {
  // An admin may write null for what is not set.
  const set = Object.entries(given).filter(([, value]) => value !== null);
  return settings.parse(Object.fromEntries(set));
}

/** The city's service for one of our codes; without settings our code is taken for the city's. */
export function municipalService(set: FiscalSettings, serviceCode: string) {
  const own = Object.hasOwn(set.services, serviceCode) ? set.services[serviceCode] : undefined;
  if (own?.id)
    return { municipalServiceId: own.id, municipalServiceName: own.name ?? own.code ?? serviceCode };
  const code = own?.code ?? set.municipal_service_code ?? serviceCode;
  const name = own ? own.name : set.municipal_service_name;
  return { municipalServiceCode: code, municipalServiceName: name ?? code };
}
