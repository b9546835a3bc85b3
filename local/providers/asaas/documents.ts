/** Files created by Asaas: boletos and NFS-e as PDF, NFS-e as XML. Minimal, but valid. */
import { XMLBuilder } from 'fast-xml-parser';
import { boletoNumbers } from './boleto.ts';
import { qrCodePng } from './pix.ts';
import type { Account, Customer, Invoice, Payment } from './state.ts';

const A4: [number, number] = [595.28, 841.89];
const LINE = 18;

async function pdfOf(lines: string[], picture?: string): Promise<Uint8Array> {
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib');
  const document = await PDFDocument.create();
  const page = document.addPage(A4);
  const font = await document.embedFont(StandardFonts.Helvetica);
  const printable = (line: string) => line.replace(/[^\x20-\xff]/g, '?');
  for (const [index, line] of lines.entries()) {
    page.drawText(printable(line), { x: 50, y: A4[1] - 60 - index * LINE, size: 11, font });
  }
  if (picture !== undefined) {
    const image = await document.embedPng(picture);
    page.drawImage(image, { x: 50, y: 80, width: 160, height: 160 });
  }
  return document.save();
}

const reais = (cents: number): string => `R$ ${(cents / 100).toFixed(2).replace('.', ',')}`;

export function boletoPdf(
  account: Account,
  payment: Payment,
  customer: Customer | undefined,
): Promise<Uint8Array> {
  const nossoNumero = payment.nossoNumero ?? '';
  const { identificationField, barCode } = boletoNumbers({ ...payment, nossoNumero });
  return pdfOf(
    [
      'Boleto bancário',
      `Beneficiário: ${account.name} - ${account.cpfCnpj}`,
      `Pagador: ${customer?.name ?? ''} - ${customer?.cpfCnpj ?? ''}`,
      `Vencimento: ${payment.dueDate}    Valor: ${reais(payment.value)}    Nosso número: ${nossoNumero}`,
      `Linha digitável: ${identificationField}`,
      `Código de barras: ${barCode}`,
      payment.description ?? '',
    ],
    payment.pixPayload === null ? undefined : qrCodePng(payment.pixPayload.payload),
  );
}

export function nfsePdf(
  account: Account,
  invoice: Invoice,
  customer: Customer | undefined,
): Promise<Uint8Array> {
  return pdfOf([
    `NFS-e ${invoice.number}`,
    `Código de verificação: ${invoice.validationCode}`,
    `Prestador: ${account.name} - ${account.cpfCnpj}`,
    `Tomador: ${customer?.name ?? ''} - ${customer?.cpfCnpj ?? ''}`,
    `Emissão: ${invoice.effectiveDate}    Valor: ${reais(invoice.value)}`,
    String(invoice.details.serviceDescription ?? ''),
    String(invoice.details.observations ?? ''),
  ]);
}

export function nfseXml(account: Account, invoice: Invoice, customer: Customer | undefined): string {
  const builder = new XMLBuilder({ ignoreAttributes: false, format: true, attributeNamePrefix: '@' });
  const body = builder.build({
    NFSe: {
      '@versao': '1.01',
      '@xmlns': 'http://www.sped.fazenda.gov.br/nfse',
      infNFSe: {
        '@Id': `NFS${invoice.id}`,
        xLocEmi: account.city,
        nNFSe: invoice.number,
        cStat: '100',
        emit: { CNPJ: account.cpfCnpj, xNome: account.name },
        valores: { vLiq: (invoice.value / 100).toFixed(2) },
        DPS: {
          infDPS: {
            dCompet: invoice.effectiveDate,
            toma: {
              [customer?.cpfCnpj.length === 11 ? 'CPF' : 'CNPJ']: customer?.cpfCnpj,
              xNome: customer?.name,
            },
            serv: { xDescServ: invoice.details.serviceDescription },
          },
        },
      },
    },
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
}

/** A placeholder for a receipt. */
export const receiptPdf = (id: string): Promise<Uint8Array> => pdfOf(['Comprovante', id]);
