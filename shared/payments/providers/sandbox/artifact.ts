// Creates the PIX code, boleto or payment page of a sandbox charge.
import { dayInSaoPaulo } from '../../formats/sao-paulo.ts';
import type { Artifact, ChargeOrder } from '../charge-port.ts';

const BANK_CODE = '999';

/** `checkoutUrl` is the base URL of the sandbox's payment page. */
export async function artifactOf(
  order: ChargeOrder,
  providerId: string,
  checkoutUrl: string,
): Promise<Artifact> {
  const { method, amountMinor, expiresAt, due } = order;
  if (method === 'card') return { checkout: { url: `${checkoutUrl}/${providerId}` } };
  // Loaded only when a charge is created, to keep cold starts short.
  const [{ pixPayload }, { boletoNumbers }] = await Promise.all([
    import('../../artifacts/pix.ts'),
    import('../../artifacts/boleto.ts'),
  ]);
  const artifact: Artifact = {};
  if (method !== 'pix') {
    const digits = [...providerId].map((char) => char.charCodeAt(0) % 10).join('');
    const freeField = digits.padStart(25, '0').slice(-25);
    const dueDate = due?.dueDate ?? dayInSaoPaulo(expiresAt);
    artifact.boleto = boletoNumbers({ bankCode: BANK_CODE, dueDate, amountMinor, freeField });
  }
  if (method !== 'boleto') {
    const payload = pixPayload({
      url: `sandbox.placar.dev/pix/${providerId}`,
      amountMinor,
      txid: providerId.replace(/[^0-9A-Za-z]/g, '').slice(0, 25),
      merchantName: 'PLACAR SANDBOX',
      merchantCity: 'SAO PAULO',
    });
    artifact.pix = { payload };
  }
  return artifact;
}
