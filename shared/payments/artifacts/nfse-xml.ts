// Renders the XML of an NFS-e according to the national schema (layout 1.01). The XML is valid except for the missing
// signature: the sandbox has no certificate.
import { getMunicipalityByCode } from '@brazilian-utils/brazilian-utils/get-municipality-by-code';
import { XMLBuilder } from 'fast-xml-parser';
import {
  DEFAULT_MUNICIPALITY,
  GENERATOR_NATIONAL,
  isPerson,
  municipalityName,
  type NfseInput,
  nfseKey,
  taxIdForKey,
  zonedTime,
} from './nfse.ts';

const NAMESPACE = 'http://www.sped.fazenda.gov.br/nfse';
const LAYOUT = '1.01';
const APPLICATION = 'Placar 1.0';
const SERIES = '1';
/** Services without municipal tax. Used for codes that are not in the national list. */
const OTHER_SERVICES = '990101';
// All characters that XML 1.0 does not allow, not even escaped.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Multi-line text without invalid characters. `-` if nothing is left. */
const anyText = (value: string, maxLength: number) =>
  Array.from(value.replace(NOT_XML, '')).slice(0, maxLength).join('') || '-';

/** One line of trimmed Latin-1 text (TSString). `-` if nothing is left. */
function lineOf(value: string, maxLength: number): string {
  const latin = value.replace(/\s+/g, ' ').replace(/[^\u0020-\u00ff]/gu, '');
  return latin.trim().slice(0, maxLength).trim() || '-';
}

/** Maps an item of LC 116 to its first subdivision. */
function nationalServiceCode(serviceCode: string): string {
  const [, group = '', item = ''] = /^(\d{1,2})\.(\d{2})$/.exec(serviceCode) ?? [];
  const code = group ? `${group.padStart(2, '0')}${item}01` : serviceCode.replace(/\./g, '');
  return /^\d{6}$/.test(code) ? code : OTHER_SERVICES;
}

const ownServiceCode = (serviceCode: string) => /^[0-9A-Za-z]{1,20}$/.test(serviceCode) && serviceCode;

const taxIdElement = (taxId: string) => (isPerson(taxId) ? { CPF: taxId } : { CNPJ: taxId });

/** The customer's tax id, or the reason for its absence: 2 if none is required. */
const customerIdElement = (taxId: string | undefined) =>
  taxId === undefined ? { cNaoNIF: 2 } : taxIdElement(taxId);

/** Email addresses that the layout does not allow are omitted. */
const isEmail = (email: string) => email.length <= 80 && /^[!-\u00ff]+$/.test(email);

const reais = (amountMinor: number) => (amountMinor / 100).toFixed(2);

function declaration(input: NfseInput, municipality: string, issuedAt: string) {
  const { customer, serviceCode } = input;
  const code = nationalServiceCode(serviceCode);
  const ownCode = code === OTHER_SERVICES && ownServiceCode(serviceCode);
  const id = `DPS${municipality}${taxIdForKey(input.issuerTaxId)}${SERIES.padStart(5, '0')}${String(input.number).padStart(15, '0')}`;
  return {
    '@versao': LAYOUT,
    infDPS: {
      '@Id': id,
      tpAmb: input.environment,
      dhEmi: issuedAt,
      verAplic: APPLICATION,
      serie: SERIES,
      nDPS: input.number,
      dCompet: issuedAt.slice(0, 10),
      tpEmit: 1,
      cLocEmi: municipality,
      prest: { ...taxIdElement(input.issuerTaxId), regTrib: { opSimpNac: 1, regEspTrib: 0 } },
      toma: {
        ...customerIdElement(customer.taxId),
        xNome: anyText(customer.name, 300),
        ...(customer.email && isEmail(customer.email) && { email: customer.email }),
      },
      serv: {
        locPrest: { cLocPrestacao: municipality },
        cServ: {
          cTribNac: code,
          xDescServ: anyText(input.description, 2000),
          cNBS: input.nbsCode,
          ...(ownCode && { cIntContrib: ownCode }),
        },
      },
      valores: {
        vServPrest: { vServ: reais(input.amountMinor) },
        trib: { tribMun: { tribISSQN: 1, tpRetISSQN: 1 }, totTrib: { indTotTrib: 0 } },
      },
    },
  };
}

function issuerElement({ issuer, issuerTaxId }: NfseInput, municipality: string) {
  const { street, number, district, postalCode } = issuer.address;
  return {
    ...taxIdElement(issuerTaxId),
    xNome: anyText(issuer.name, 300),
    enderNac: {
      xLgr: lineOf(street, 255),
      nro: lineOf(number, 60),
      xBairro: lineOf(district, 60),
      cMun: municipality,
      UF: getMunicipalityByCode(municipality)?.stateCode ?? 'SP',
      CEP: postalCode,
    },
  };
}

/**
 * Renders the unsigned XML from the data of an invoice. The customer's address and the tax amounts are omitted.
 * @throws RangeError like `nfseKey`.
 */
export function renderNfseXml(input: NfseInput): string {
  const { municipality = DEFAULT_MUNICIPALITY } = input;
  const place = lineOf(municipalityName(municipality), 150);
  const issuedAt = zonedTime(input.issuedAt, input.timeZone);
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    NFSe: {
      '@versao': LAYOUT,
      '@xmlns': NAMESPACE,
      infNFSe: {
        '@Id': `NFS${nfseKey(input)}`,
        xLocEmi: place,
        xLocPrestacao: place,
        nNFSe: input.number,
        xTribNac: lineOf(input.serviceCode, 600),
        verAplic: APPLICATION,
        ambGer: GENERATOR_NATIONAL,
        tpEmis: 1,
        procEmi: 1,
        cStat: 100,
        dhProc: issuedAt,
        nDFSe: input.number,
        emit: issuerElement(input, municipality),
        valores: { vLiq: reais(input.amountMinor) },
        DPS: declaration(input, municipality, issuedAt),
      },
    },
  };
  return new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressBooleanAttributes: false,
  }).build(document);
}
