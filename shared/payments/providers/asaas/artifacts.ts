// Reads and verifies the PIX code, boleto or payment page of an Asaas payment.

import { z } from 'zod';
import { barcodeOf, boletoError, pixPayloadError } from '../../artifacts/verify.ts';
import type { Artifact, ChargeOrder } from '../charge-port.ts';
import { ProviderRejected } from '../errors.ts';
import type { AsaasClient } from './client.ts';
import { type Payment, pathOf } from './resources.ts';

const pixQrCode = z.object({ payload: z.string() });
const identificationField = z.object({ identificationField: z.string(), barCode: z.string().nullish() });

/** Throws `ProviderRejected` if the artifact is missing, not payable or does not match the order. */
export async function readArtifact(
  client: AsaasClient,
  { method, amountMinor, due }: ChargeOrder,
  payment: Payment,
): Promise<Artifact> {
  const path = pathOf(payment);
  const pix = async () => {
    const { payload } = found(await client.get(`${path}/pixQrCode`, pixQrCode), 'PIX text');
    rejectFault(pixPayloadError(payload, amountMinor));
    return { payload };
  };
  const boleto = async () => {
    const numbers = await client.get(`${path}/identificationField`, identificationField);
    const { identificationField: line, barCode } = found(numbers, 'boleto');
    const digitableLine = line.replace(/\D/g, '');
    const barcode = barCode?.replace(/\D/g, '') || barcodeOf(digitableLine) || '';
    rejectFault(boletoError({ digitableLine, barcode }, amountMinor, due?.dueDate));
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
      return { checkout: { url: found(payment.invoiceUrl, 'payment page') } };
  }
}

function found<T>(thing: T | null | undefined, name: string): T {
  if (thing === null || thing === undefined || thing === '')
    throw new ProviderRejected(`Asaas returned no ${name}.`);
  return thing;
}

function rejectFault(fault: string | undefined): void {
  if (fault) throw new ProviderRejected(`Asaas returned an invalid payment: ${fault}.`);
}
