// One invoice: what its payer gets, what happened, and what the ledger has of it.
import { money, words } from '../kit/format.ts';
import { Badge, Code, Empty, Facts, Panel, Time } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import type { Page, View } from '../view.ts';
import { entryColumns } from './page.tsx';
import { type Invoice, readInvoice, readInvoiceEvents, readLedger, readTaxDocuments } from './queries.ts';

/** Where a file of an invoice or tax document opens. */
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
    lead: <a href="/payments">All invoices</a>,
    actions: row.provider === 'sandbox' && row.provider_reference !== null && (
      <a class="button primary" href={`/pay/${row.provider_reference}`}>
        Open the payer's page
      </a>
    ),
    body: (
      <>
        <Panel title={money(row.amount, row.currency)} live="invoice" aside={<Badge of={row.status} />}>
          <Facts
            of={[
              ['For', row.description],
              ['Customer', `${row.customer.name}, ${row.customer.email}`],
              ['Method', words(row.method)],
              ['Provider', row.provider],
              ['Made', <Time at={row.created} now={view.now} />],
              ['Good until', row.expires_at && <Time at={row.expires_at} now={view.now} />],
              ['Paid', row.paid_at && <Time at={row.paid_at} now={view.now} />],
              ['Fee', row.fee === null ? null : money(row.fee, row.currency)],
              ['Why it failed', row.failure_reason],
              ['Id', <code>{row.id}</code>],
            ]}
          />
        </Panel>
        <Artifacts view={view} of={row} />
        <div class="columns">
          <Panel title="What happened" live="events">
            {events.length > 0 ? (
              <ul class="list">
                {events.map(({ id: eventId, type, created_at: at, deliveries }) => (
                  <li data-key={eventId}>
                    <a class="list-main" href={`/events/${eventId}`}>
                      {type}
                    </a>
                    <span class="list-note muted">
                      {deliveries === 0
                        ? 'nobody listens'
                        : `told ${deliveries} ${deliveries === 1 ? 'webhook' : 'webhooks'}`}
                    </span>
                    <span class="list-time">
                      <Time at={at} now={view.now} />
                    </span>
                  </li>
                ))}
              </ul>
            ) : (
              <Empty title="Nothing yet">It waits for its payer.</Empty>
            )}
          </Panel>
          <Panel title="Tax documents" live="documents">
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
              <Empty title="None">An NFS-e is issued for an invoice that asks for it.</Empty>
            )}
          </Panel>
        </div>
        <Panel title="Ledger" live="entries">
          {entries.length > 0 ? (
            <Table
              label="Ledger"
              columns={entryColumns(view.now)}
              rows={entries}
              keyOf={({ id: key }) => key}
            />
          ) : (
            <Empty title="No entry">The payment makes one.</Empty>
          )}
        </Panel>
      </>
    ),
  };
};

/** The 47 digits of a boleto in the groups that it is printed in. */
export const boletoLine = (digits: string): string =>
  digits.replace(/^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.+)$/, '$1.$2 $3.$4 $5.$6 $7 $8');

/** What the payer gets: the code to scan, the line to paste, the paper to print. */
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
        <Panel title="PIX">
          <img
            class="qr"
            src={fileAt(view, token, 'qr.svg')}
            alt="QR code of the PIX payment"
            width="180"
            height="180"
          />
          <Code label="the PIX code">{pix.payload}</Code>
        </Panel>
      )}
      {boleto && (
        <Panel title="Boleto" aside={<a href={fileAt(view, token, 'boleto.pdf')}>Open the PDF</a>}>
          <p class="line mono">{boletoLine(boleto.digitableLine)}</p>
          <Code label="the boleto's line">{boleto.digitableLine}</Code>
        </Panel>
      )}
    </div>
  );
}
