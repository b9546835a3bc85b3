// Renders an NFS-e as a printable page (DANFSe) with the URL for verifying its access key.
import { DEFAULT_MUNICIPALITY, municipalityName, type NfseInput, nfseKey, zonedTime } from './nfse.ts';
import { formatAmount, formatDate, formatTaxId } from './portuguese.ts';
import { A4, MARGIN, openSheet, type Sheet } from './sheet.ts';

const WIDTH = A4.width - 2 * MARGIN;
const ROW = 30;
const QR_SIZE = 84;
const TEST_NOTICE = 'NFS-e SEM VALIDADE JURÍDICA - EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO';

/** The national system's public page for the document with this key. */
export function nfseConsultationUrl(key: string): string {
  return `https://www.nfse.gov.br/ConsultaPublica/?tpc=1&chave=${key}`;
}

function drawHead(sheet: Sheet, input: NfseInput, key: string): number {
  const width = WIDTH - QR_SIZE - 20;
  const at = (y: number) => ({ x: MARGIN, y });
  sheet.line('DANFSe - Documento Auxiliar da NFS-e', at(MARGIN), width, { size: 15, bold: true });
  sheet.line('Nota Fiscal de Serviço eletrônica - padrão nacional', at(MARGIN + 20), width);
  if (input.environment === 2) sheet.line(TEST_NOTICE, at(MARGIN + 36), width, { bold: true });
  sheet.line('Chave de acesso da NFS-e', at(MARGIN + 56), width, { size: 6.5 });
  sheet.line(key, at(MARGIN + 65), width, { size: 11, bold: true });
  const hint =
    'Consulte a autenticidade pela chave ou pelo código ao lado em www.nfse.gov.br/ConsultaPublica';
  sheet.line(hint, at(MARGIN + 82), width, { size: 7.5 });
  sheet.qr(nfseConsultationUrl(key), { x: A4.width - MARGIN - QR_SIZE, y: MARGIN }, QR_SIZE);
  return MARGIN + QR_SIZE + 16;
}

function drawSection(sheet: Sheet, title: string, y: number): number {
  sheet.line(title, { x: MARGIN, y: y + 8 }, WIDTH, { size: 9, bold: true });
  return y + 22;
}

function drawParties(sheet: Sheet, input: NfseInput, municipality: string, top: number): number {
  let y = drawSection(sheet, 'PRESTADOR DO SERVIÇO', top);
  y = sheet.row(y, ROW, [
    { label: 'Nome / Razão social', value: input.issuer.name, share: 3 },
    { label: 'CPF/CNPJ', value: formatTaxId(input.issuerTaxId), share: 1.3 },
    { label: 'Município', value: municipality, share: 1.2 },
  ]);
  const { customer } = input;
  y = drawSection(sheet, 'TOMADOR DO SERVIÇO', y);
  y = sheet.row(y, ROW, [
    { label: 'Nome / Razão social', value: customer.name, share: 3 },
    { label: 'CPF/CNPJ', value: formatTaxId(customer.taxId), share: 1.3 },
  ]);
  return sheet.row(y, ROW, [{ label: 'E-mail', value: customer.email ?? '-', share: 1 }]);
}

/**
 * Renders a one-page PDF in Portuguese. Characters outside WinAnsi become their base letter or `?`; overlong texts are truncated.
 * @throws RangeError like `nfseKey`.
 */
export async function renderNfsePdf(input: NfseInput): Promise<Uint8Array> {
  const key = nfseKey(input);
  const municipality = municipalityName(input.municipality ?? DEFAULT_MUNICIPALITY);
  const [date = '', time = ''] = zonedTime(input.issuedAt, input.timeZone).split('T');
  const amount = formatAmount(input.amountMinor, 'BRL');
  const sheet = await openSheet(`NFS-e ${input.number}`);
  let y = drawHead(sheet, input, key);
  y = sheet.row(y, ROW, [
    { label: 'Número da NFS-e', value: String(input.number), share: 1, style: { bold: true } },
    { label: 'Competência', value: formatDate(date), share: 1 },
    { label: 'Data e hora da emissão', value: `${formatDate(date)} ${time.slice(0, 8)}`, share: 1.4 },
    { label: 'Município de incidência do ISSQN', value: municipality, share: 1.6 },
  ]);
  y = drawParties(sheet, input, municipality, y);
  y = drawSection(sheet, 'SERVIÇO PRESTADO', y);
  y = sheet.row(y, ROW, [
    { label: 'Código de tributação', value: input.serviceCode, share: 1 },
    { label: 'Local da prestação', value: municipality, share: 2 },
  ]);
  y = sheet.row(y, 190, [{ label: 'Descrição do serviço', value: input.description, share: 1 }]);
  y = drawSection(sheet, 'VALORES', y);
  sheet.row(y, ROW, [
    { label: 'Valor do serviço', value: amount, share: 1 },
    { label: 'Retenções', value: formatAmount(0, 'BRL'), share: 1 },
    { label: 'Valor líquido da NFS-e', value: amount, share: 1, style: { bold: true } },
  ]);
  return sheet.save();
}
