// The payer's page, at the sandbox's `checkout_url`: pay, decline or let the invoice expire.
import type { FC } from 'hono/jsx';
import { money } from '../../../clients/console/kit/format.ts';
import { Action } from '../../../clients/console/kit/forms.tsx';
import { Icon, type IconName } from '../../../clients/console/kit/icons.tsx';
import type { Message } from '../../../clients/console/kit/language.ts';
import { t, tName } from '../../../clients/console/kit/language.ts';
import { Brand, Document, LanguageSwitch } from '../../../clients/console/kit/layout.tsx';
import { Code, Time } from '../../../clients/console/kit/small.tsx';
import { boletoLine, QrCode } from '../../../clients/console/pages/invoice.tsx';
import type { Invoice } from '../payments/queries.ts';

interface PayerPageProps {
  url: string;
  invoice: Invoice & { tenant_name: string };
  now: Date;
}

export const PayerPage: FC<PayerPageProps> = ({ url, invoice, now }) => (
  <Document
    title={t('Pay {amount} to {name}', {
      amount: money(invoice.amount, invoice.currency),
      name: invoice.tenant_name,
    })}
    class="payer"
  >
    <main id="main" tabindex={-1}>
      <p class="sandbox-note">{t('Sandbox: no money is moved and no card is needed.')}</p>
      <section class="checkout panel" data-live="checkout" id="live-checkout">
        <header>
          <p class="muted">{invoice.tenant_name}</p>
          <h1>{money(invoice.amount, invoice.currency)}</h1>
          <p>{invoice.description}</p>
        </header>
        <dl class="receipt">
          <div>
            <dt>{t('Invoice')}</dt>
            <dd>{invoice.our_number}</dd>
          </div>
          <div>
            <dt>{t('Billed to')}</dt>
            <dd>{invoice.customer.name}</dd>
          </div>
          {invoice.status === 'open' && invoice.expires_at && (
            <div>
              <dt>{t('Expires')}</dt>
              <dd>
                <Time at={invoice.expires_at} now={now} />
              </dd>
            </div>
          )}
          {invoice.paid_at && (
            <div>
              <dt>{t('Paid')}</dt>
              <dd>
                <Time at={invoice.paid_at} now={now} />
              </dd>
            </div>
          )}
        </dl>
        {invoice.status === 'open' ? <Choices url={url} of={invoice} /> : <Outcome of={invoice} />}
      </section>
      <footer class="checkout-foot">
        <Brand />
        <a href={`/payments/invoices/${invoice.id}`}>{t('View in the console')}</a>
        <LanguageSwitch path={`/pay/${invoice.provider_reference}`} csrf="" />
      </footer>
    </main>
  </Document>
);

const Choices: FC<{ url: string; of: Invoice }> = ({ url, of: invoice }) => {
  const path = `/pay/${invoice.provider_reference}`;
  return (
    <>
      <Method url={url} of={invoice} />
      <div class="choices">
        <Action action={`${path}/pay`} kind="primary">
          {t('Pay {amount}', { amount: money(invoice.amount, invoice.currency) })}
        </Action>
        <Action action={`${path}/decline`}>{t('Decline')}</Action>
        <Action action={`${path}/expire`}>{t('Expire')}</Action>
      </div>
    </>
  );
};

const Method: FC<{ url: string; of: Invoice }> = ({ url, of: { artifact, public_token: token } }) => {
  const { pix, boleto, checkout } = artifact ?? {};
  return (
    <>
      {checkout && (
        <div class="test-card" aria-label={t('Test card')} role="img">
          <span>{t('Test card')}</span>
          <span class="mono">•••• •••• •••• 4242</span>
          <span class="test-card-foot">
            <span>PLACAR SANDBOX</span>
            <span>12/30</span>
          </span>
        </div>
      )}
      {pix && (
        <div class="pay-pix">
          <QrCode payload={pix.payload} width={200} />
          <Code label={t('Pix code')}>{pix.payload}</Code>
        </div>
      )}
      {boleto && (
        <div class="pay-boleto">
          <p class="line mono">{boletoLine(boleto.digitableLine)}</p>
          <a href={`${url}/functions/v1/payments/files/${token}/boleto.pdf`}>{t('Boleto as PDF')}</a>
        </div>
      )}
    </>
  );
};

const OUTCOMES: Readonly<Record<string, { icon: IconName; title?: Message }>> = {
  paid: { icon: 'done', title: 'Paid. Thank you!' },
  failed: { icon: 'failed', title: 'The payment failed' },
  canceled: { icon: 'failed', title: 'The invoice was canceled' },
  creating: { icon: 'jobs', title: 'The invoice is being created' },
};

const Outcome: FC<{ of: Invoice }> = ({ of: { status, failure_reason: reason, return_url: returnUrl } }) => {
  const { icon, title } = OUTCOMES[status] ?? { icon: 'jobs' as const };
  return (
    <div class={`outcome ${status}`} role="status">
      <Icon of={icon} />
      <p class="outcome-title">{title ? t(title) : tName(status)}</p>
      {reason !== null && <p class="muted">{reason}</p>}
      {returnUrl !== null && /^https?:/.test(returnUrl) && (
        <a class="button primary" href={returnUrl}>
          {t('Back to the shop')}
        </a>
      )}
    </div>
  );
};
