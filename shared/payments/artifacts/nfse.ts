// Content and access key of the Brazilian service invoice (NFS-e, national standard, layout 1.01).
import { getMunicipalityByCode } from '@brazilian-utils/brazilian-utils/get-municipality-by-code';
import { mod11 } from '../formats/documents.ts';

/** IBGE code of São Paulo. */
export const DEFAULT_MUNICIPALITY = '3550308';

interface NfseKeyInput {
  /** The issuer's CPF or CNPJ without punctuation. A CNPJ can have letters (types of layout 1.01 as revised in 2026). */
  issuerTaxId: string;
  /** The document's number, 1 to 9 999 999 999 999, counted per issuer. */
  number: number;
  /** Nine random digits, so that keys cannot be guessed. */
  code: string;
  issuedAt: Date;
  /** IANA name of the issuer's time zone, which determines the month. */
  timeZone: string;
  /** IBGE code of seven digits. Default: São Paulo. */
  municipality?: string;
}

/** The issuer's address within its municipality. */
interface NfseAddress {
  street: string;
  number: string;
  district: string;
  /** Eight digits. */
  postalCode: string;
}

export interface NfseInput extends NfseKeyInput {
  issuer: { name: string; address: NfseAddress };
  customer: {
    name: string;
    /** CPF or CNPJ without punctuation. */
    taxId?: string;
    email?: string;
  };
  description: string;
  /** In centavos. */
  amountMinor: number;
  /** Six digits of the national list, an item of LC 116 such as `1.01`, or a municipality's own code. */
  serviceCode: string;
  /** Nine digits of the service nomenclature (NBS). */
  nbsCode: string;
  /** 1 is production, 2 is homologation (test documents). */
  environment: 1 | 2;
}

/** Generator code of the national system (ambGer). */
export const GENERATOR_NATIONAL = 2;
const MAX_NUMBER = 9_999_999_999_999;
/** UTC offsets that the layout allows: whole hours from -11 to +12. */
const OFFSET = /^([-+](0\d|1[01])|\+12):00$/;

export const isPerson = (taxId: string) => taxId.length === 11;
/** Type (1 CPF, 2 CNPJ) and number of the issuer, as in keys and ids. */
export const taxIdForKey = (taxId: string) => `${isPerson(taxId) ? 1 : 2}${taxId.padStart(14, '0')}`;

/** The instant in the zone as `YYYY-MM-DDThh:mm:ss±hh:mm`. In UTC if the layout does not allow the zone's offset. */
export function zonedTime(instant: Date, timeZone: string): string {
  // Sweden writes `YYYY-MM-DD hh:mm:ss`.
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
    instant,
  );
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value;
  const offset = name?.replace('GMT', '') || '+00:00';
  if (!OFFSET.test(offset)) return zonedTime(instant, 'UTC');
  return local.format(instant).replace(' ', 'T') + offset;
}

/**
 * The access key of 50 characters, digits except for the letters of a CNPJ: municipality (7), generator (1), issuer type (1: 1 CPF, 2 CNPJ), issuer (14), number (13), year and
 * month (4), code (9), check digit (modulo 11, 0 for remainders 0 and 1).
 * @throws RangeError if a part does not fit its field.
 */
export function nfseKey(input: NfseKeyInput): string {
  const { issuerTaxId, number, code, municipality = DEFAULT_MUNICIPALITY } = input;
  if (!/^(\d{11}|[0-9A-Z]{12}\d{2})$/.test(issuerTaxId))
    throw new RangeError('issuerTaxId must be a CPF or CNPJ');
  if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER)
    throw new RangeError(`number must be from 1 to ${MAX_NUMBER}`);
  if (!/^\d{9}$/.test(code)) throw new RangeError('code must be nine digits');
  if (!/^\d{7}$/.test(municipality)) throw new RangeError('municipality must be seven digits');
  const month = zonedTime(input.issuedAt, input.timeZone).slice(2, 7).replace('-', '');
  const body = [
    municipality,
    GENERATOR_NATIONAL,
    taxIdForKey(issuerTaxId),
    String(number).padStart(13, '0'),
    month,
    code,
  ].join('');
  return `${body}${mod11(body, { whenBelowTwo: 0 })}`;
}

/** Whether the text is a key of 50 characters with a valid check digit, issuer type and month. */
export function isNfseKey(text: string): boolean {
  return (
    /^\d{7}[12](1000\d{11}|2[0-9A-Z]{12}\d{2})\d{13}\d{2}(0[1-9]|1[0-2])\d{10}$/.test(text) &&
    text.endsWith(String(mod11(text.slice(0, -1), { whenBelowTwo: 0 })))
  );
}

/** The name of a municipality by its IBGE code, or the code itself if it is unknown. */
export function municipalityName(code: string): string {
  return getMunicipalityByCode(code)?.name ?? code;
}
