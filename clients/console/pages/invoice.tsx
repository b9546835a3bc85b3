// One invoice: while it is open with what the customer needs to pay it, and with its tax document.
import type { FC } from 'hono/jsx';
import { qrPng } from '../../../shared/payments/artifacts/qr.ts';
import { asJson, asText, type Json, memberOf } from '../api/json.ts';
import { ApiText } from '../kit/api-words.tsx';
import { t } from '../kit/language.ts';
import { Badge, Code, Facts, Panel } from '../kit/small.tsx';
import { invoices } from '../resources/payments.ts';
import { personInvoices } from '../resources/person-payments.ts';
import type { Page } from '../view.ts';
import { detailPage } from './detail.tsx';

export const invoicePage: Page = (view) =>
  detailPage(view.isPerson ? personInvoices : invoices, view, async (record) => {
    const id = asText(memberOf(record, 'tax_document.id'));
    const path = `${invoices.api}/${encodeURIComponent(asText(record.id))}/tax-documents/${encodeURIComponent(id)}`;
    const document = id ? (await view.api.find(path))?.record : undefined;
    return (
      <>
        {record.status === 'open' && <Artifacts of={asJson(record.payment_method)} />}
        {document && <TaxDocument of={document} />}
      </>
    );
  });

/** Groups the 47 digits of a boleto as they are printed. */
export const boletoLine = (digits: string): string =>
  digits.replace(/^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.+)$/, '$1.$2 $3.$4 $5.$6 $7 $8');

/** `label`: by default that of a Pix payment. */
export const QrCode: FC<{ payload: string; width: number; label?: string }> = ({ payload, width, label }) => (
  <img
    class="qr"
    src={`data:image/png;base64,${Buffer.from(qrPng(payload)).toString('base64')}`}
    alt={label ?? t('QR code of the Pix payment')}
    width={String(width)}
    height={String(width)}
  />
);

/** Pix code, boleto and checkout, as far as the payment method has them. */
const Artifacts: FC<{ of: Json }> = ({ of: method }) => {
  const code = asText(memberOf(method, 'pix.qr_code'));
  const image = asText(memberOf(method, 'pix.qr_code_image_url'));
  const line = asText(memberOf(method, 'boleto.digitable_line'));
  const pdf = asText(memberOf(method, 'boleto.pdf_url'));
  const checkout = asText(memberOf(method, `${asText(method.type)}.checkout_url`));
  if (!code && !line && !checkout) return null;
  return (
    <div class="columns artifacts">
      {code && (
        <Panel
          title="Pix"
          aside={
            image && (
              <a href={image} rel="noreferrer">
                {t('Open QR code')}
              </a>
            )
          }
        >
          <QrCode payload={code} width={180} />
          <Code label={t('Pix code')}>{code}</Code>
        </Panel>
      )}
      {line && (
        <Panel title="Boleto" aside={pdf && <a href={pdf}>{t('Open PDF')}</a>}>
          <p class="line mono">{boletoLine(line)}</p>
          <Code label={t('boleto line')}>{line}</Code>
        </Panel>
      )}
      {checkout && (
        <Panel
          title={t('Checkout')}
          aside={
            <a href={checkout} rel="noreferrer">
              {t('Open payer page')}
            </a>
          }
        >
          <p class="panel-text">{t('Send this address to the customer:')}</p>
          <Code label={t('Checkout')}>{checkout}</Code>
        </Panel>
      )}
    </div>
  );
};

const TaxDocument: FC<{ of: Json }> = ({ of: document }) => {
  const [number, pdf, xml] = [document.document_number, document.pdf_url, document.xml_url].map(asText);
  const reason = asText(document.failure_reason) || asText(document.cancel_error);
  return (
    <Panel
      title={t('Tax document')}
      aside={
        <>
          {pdf && <a href={pdf}>PDF</a>} {xml && <a href={xml}>XML</a>}
        </>
      }
    >
      <Facts
        of={[
          [t('Status'), <Badge of={asText(document.status)} />],
          [t('Number'), number],
          [t('Failure reason'), reason && <ApiText of={reason} />],
          [t('Id'), <code>{asText(document.id)}</code>],
        ]}
      />
    </Panel>
  );
};
