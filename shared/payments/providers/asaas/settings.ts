// Fiscal settings of an account, specified by an admin when connecting it.
import { z } from 'zod';

const service = z.object({
  /** Code in the municipality's list. */
  code: z.string().optional(),
  /** Asaas' id of the service. */
  id: z.string().optional(),
  name: z.string().optional(),
});

const settings = z.object({
  municipal_service_code: z.string().optional(),
  municipal_service_name: z.string().optional(),
  /** Keyed by our `service_code`. */
  services: z.record(z.string(), service).default({}),
  observations: z.string().optional(),
  deductions: z.number().default(0),
  /** How NBS codes are written to Asaas: `115021000` or `1.1502.10.00`. */
  nbs_code_format: z.enum(['digits', 'dotted']).default('digits'),
});

export type FiscalSettings = z.infer<typeof settings>;

/** Throws for invalid settings. Ignores `taxes`, which orders have, and other settings of the database. */
export function fiscalSettings(given: Record<string, unknown>): FiscalSettings {
  // Admins may set unused settings to null.
  const set = Object.entries(given).filter(([, value]) => value !== null);
  return settings.parse(Object.fromEntries(set));
}

/** The municipal service of a service code. Without settings, the service code is used as the municipal code. */
export function municipalService(set: FiscalSettings, serviceCode: string) {
  const own = Object.hasOwn(set.services, serviceCode) ? set.services[serviceCode] : undefined;
  if (own?.id)
    return { municipalServiceId: own.id, municipalServiceName: own.name ?? own.code ?? serviceCode };
  const code = own?.code ?? set.municipal_service_code ?? serviceCode;
  const name = own ? own.name : set.municipal_service_name;
  return { municipalServiceCode: code, municipalServiceName: name ?? code };
}
