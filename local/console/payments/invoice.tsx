// One invoice: payment details, events, tax documents and ledger entries.
import { money } from '../../../clients/console/kit/format.ts';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { Badge, Code, Empty, Facts, Panel, Time } from '../../../clients/console/kit/small.tsx';
import { Table } from '../../../clients/console/kit/table.tsx';
import type { Page, View } from '../view.ts';
import { entryColumns } from './entries.tsx';
import { type Invoice, readInvoice, readInvoiceEvents, readLedger, readTaxDocuments } from './queries.ts';

/** URL of a file of an invoice or tax document. */
export const fileAt = ({ url }: Pick<View, 'url'>, token: string, name: string): string =>
  `${url}/functions/v1/payments/files/${token}/${name}`;

export const invoice: Page = async (view) => {
  const id = view.param('id');
  const [row, entries, events, documents] = await Promise.all([
    readInvoice(view, id),
    readLedger(view, { sourceId: id }),
    readInvoiceEvents(view, id),
    readTaxDocuments(view, id),
  ]);
  if (!row) return undefined;
  return {
    title: row.our_number ?? row.id,
    lead: <a href="/payments/invoices">{t('All invoices')}</a>,
    actions: row.provider === 'sandbox' && row.provider_reference !== null && (
      <a class="button primary" href={`/pay/${row.provider_reference}`}>
        {t('Open payer page')}
      </a>
    ),
    body: (
      <>
        <Panel title={money(row.amount, row.currency)} live="invoice" aside={<Badge of={row.status} />}>
          <Facts
            of={[
              [t('Description'), row.description],
              [t('Customer'), `${row.customer.name}, ${row.customer.email}`],
              [t('Method'), tName(row.method)],
              [t('Provider'), row.provider],
              [t('Created'), <Time at={row.created} now={view.now} />],
              [t('Expires'), row.expires_at && <Time at={row.expires_at} now={view.now} />],
              [t('Paid'), row.paid_at && <Time at={row.paid_at} now={view.now} />],
              [t('Fee'), row.fee === null ? null : money(row.fee, row.currency)],
              [t('Failure reason'), row.failure_reason],
              [t('Id'), <code>{row.id}</code>],
            ]}
          />
        </Panel>
        <Artifacts view={view} of={row} />
        <div class="columns">
          <Panel title={t('Events')} live="events">
            {events.length > 0 ? (
              <ul class="list">
                {events.map(({ id: eventId, type, created_at: at, deliveries }) => (
                  <li data-key={eventId}>
                    <a class="list-main" href={`/events/${eventId}`}>
                      {type}
                    </a>
                    <span class="list-note muted">
                      {deliveries === 0
                        ? t('no webhooks')
                        : tCount(deliveries, '{count} webhook', '{count} webhooks')}
                    </span>
                    <span class="list-time">
                      <Time at={at} now={view.now} />
                    </span>
                  </li>
                ))}
              </ul>
            ) : (
              <Empty title={t('No events yet')}>{t('The invoice is waiting for payment.')}</Empty>
            )}
          </Panel>
          <Panel title={t('Tax documents')} live="documents">
            {documents.length > 0 ? (
              <ul class="list">
                {documents.map((document) => (
                  <li data-key={document.id}>
                    <span class="list-main">{document.document_number ?? document.id}</span>
                    <span class="list-note">
                      <Badge of={document.status} />
                      {document.status === 'issued' && (
                        <>
                          <a href={fileAt(view, document.public_token, 'nfse.pdf')}>PDF</a>
                          <a href={fileAt(view, document.public_token, 'nfse.xml')}>XML</a>
                        </>
                      )}
                      {document.failure_reason}
                    </span>
                  </li>
                ))}
              </ul>
            ) : (
              <Empty title={t('No tax documents')}>
                {t('An NFS-e is issued if the invoice requests it.')}
              </Empty>
            )}
          </Panel>
        </div>
        <Panel title={t('Ledger')} live="entries">
          {entries.length > 0 ? (
            <Table
              label={t('Ledger')}
              columns={entryColumns(view.now)}
              rows={entries}
              keyOf={({ id: key }) => key}
            />
          ) : (
            <Empty title={t('No entries')}>{t('The payment creates the first entry.')}</Empty>
          )}
        </Panel>
      </>
    ),
  };
};

/** Groups the 47 digits of a boleto as they are printed. */
export const boletoLine = (digits: string): string =>
  digits.replace(/^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.+)$/, '$1.$2 $3.$4 $5.$6 $7 $8');

/** The payment details: Pix QR code, boleto line and PDF. */
export function Artifacts({
  view,
  of: { artifact, public_token: token },
}: {
  view: Pick<View, 'url'>;
  of: Invoice;
}) {
  const { pix, boleto } = artifact ?? {};
  if (!pix && !boleto) return null;
  return (
    <div class="columns artifacts">
      {pix && (
        <Panel title="Pix">
          <img
            class="qr"
            src={fileAt(view, token, 'qr.svg')}
            alt={t('QR code of the Pix payment')}
            width="180"
            height="180"
          />
          <Code label={t('Pix code')}>{pix.payload}</Code>
        </Panel>
      )}
      {boleto && (
        <Panel title="Boleto" aside={<a href={fileAt(view, token, 'boleto.pdf')}>{t('Open PDF')}</a>}>
          <p class="line mono">{boletoLine(boleto.digitableLine)}</p>
          <Code label={t('boleto line')}>{boleto.digitableLine}</Code>
        </Panel>
      )}
    </div>
  );
}
