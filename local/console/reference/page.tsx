// The API reference, with the demo tenant's credentials filled in.
import type { FC } from 'hono/jsx';
import type { Message } from '../../../clients/console/kit/language.ts';
import { t } from '../../../clients/console/kit/language.ts';
import { Brand, Document } from '../../../clients/console/kit/layout.tsx';
import type { ConsoleOptions } from '../view.ts';

const DOCUMENTS: { title: Message; slug: string; file: string; scheme: string }[] = [
  { title: 'Records', slug: 'records', file: 'v1.json', scheme: 'oauth2' },
  { title: 'Payments', slug: 'payments', file: 'payments.json', scheme: 'signature' },
  { title: 'Activity sync', slug: 'activity-sync', file: 'default-integration.json', scheme: 'signature' },
  { title: 'Access tokens', slug: 'oauth', file: 'oauth.json', scheme: 'client' },
  { title: 'Records, variant B', slug: 'records-b', file: 'v1-b.json', scheme: 'oauth2' },
  { title: 'Records, variant C', slug: 'records-c', file: 'v1-c.json', scheme: 'oauth2' },
];

export const ReferencePage: FC<Pick<ConsoleOptions, 'url' | 'credentials'>> = ({ url, credentials }) => {
  const documents = DOCUMENTS.map(({ title, ...document }) => ({ title: t(title), ...document }));
  const settings = { url, credentials, documents };
  return (
    <Document
      title={`${t('API')} · Placar`}
      class="reference"
      head={<script src="/console/scalar.js" defer />}
    >
      <header class="reference-head">
        <Brand />
        <nav aria-label={t('Console')}>
          <a href="/">{t('Overview')}</a>
          <a href="/requests">{t('Requests')}</a>
          <a href="/reference" aria-current="page">
            {t('API')}
          </a>
        </nav>
        <p>
          {t(
            'Requests go to this stack as the demo tenant. This page contains its key and client, so you can send requests.',
          )}{' '}
          {t('Tokens are fetched automatically, and payment requests are signed and get an idempotency key')}{' '}
          (<code>SVC-SIGN-V1</code>, <code>Idempotency-Key</code>).
        </p>
      </header>
      <main id="main" tabindex={-1} aria-label={t('API reference')}>
        <h1 class="visually-hidden">{t('API reference')}</h1>
        <noscript>
          <p>
            {t('The reference requires JavaScript.')} {t('The documents:')}{' '}
            <a href="/openapi/v1.json">v1.json</a>, <a href="/openapi/payments.json">payments.json</a>.
          </p>
        </noscript>
        <div id="reference" />
      </main>
      {/* A data block that browsers do not run; escaped so that no string can end it. */}
      <script
        id="reference-settings"
        type="application/json"
        dangerouslySetInnerHTML={{ __html: JSON.stringify(settings).replaceAll('<', '\\u003c') }}
      />
      <script src="/console/reference.js" defer />
    </Document>
  );
};
