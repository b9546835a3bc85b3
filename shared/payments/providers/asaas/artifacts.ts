// What payers pay a payment of Asaas with, checked before anybody sees it.

import { z } from 'zod';
import { barcodeOf, boletoFault, pixPayloadFault } from '../../artifacts/verify.ts';
import { type Artifact, type ChargeOrder, ProviderRejected } from '../provider.ts';
import { type AsaasClient, segment } from './client.ts';
import type { Payment } from './resources.ts';

const pixQrCode = z.object({ payload: z.string() });
const identificationField = z.object({ identificationField: z.string(), barCode: z.string().nullish() });

/** Throws `ProviderRejected` where what Asaas gives cannot be paid, or is not what was ordered. */
export async function readArtifact(
  client: AsaasClient,
  { method, amountMinor }: ChargeOrder,
  payment: Payment,
  signal: AbortSignal,
): Promise<Artifact> {
  const path = `/payments/${segment(payment.id)}`;
  const pix = async () => {
    const { payload } = found(await client.get(`${path}/pixQrCode`, pixQrCode, signal), 'PIX text');
    refuse(pixPayloadFault(payload, amountMinor));
    return { payload };
  };
  const boleto = async () => {
    const numbers = await client.get(`${path}/identificationField`, identificationField, signal);
    const { identificationField: line, barCode } = found(numbers, 'boleto');
    const digitableLine = line.replace(/\D/g, '');
    const barcode = barCode?.replace(/\D/g, '') || barcodeOf(digitableLine) || '';
    refuse(boletoFault({ digitableLine, barcode }, amountMinor));
    return { digitableLine, barcode, ...(payment.bankSlipUrl && { pdfUrl: payment.bankSlipUrl }) };
  };
  switch (method) {
    case 'pix':
      return { pix: await pix() };
    case 'boleto':
      return { boleto: await boleto() };
    case 'bolepix': {
      const [code, numbers] = await Promise.all([pix(), boleto()]);
      return { pix: code, boleto: numbers };
    }
    default:
      return { checkout: { url: found(payment.invoiceUrl, 'page of the payment') } };
  }
}

function found<T>(thing: T | null | undefined, name: string): T {
  if (thing === null || thing === undefined || thing === '')
    throw new ProviderRejected(`Asaas gave no ${name}.`);
  return thing;
}

function refuse(fault: string | undefined): void {
  if (fault) throw new ProviderRejected(`What Asaas gave cannot be used: ${fault}.`);
}
