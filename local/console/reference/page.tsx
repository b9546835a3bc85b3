// The API reference, with the demo tenant's credentials filled in.
import type { FC } from 'hono/jsx';
import { Brand, Document } from '../kit/layout.tsx';
import type { ConsoleOptions } from '../view.ts';

const DOCUMENTS = [
  { title: 'Records', slug: 'records', file: 'v1.json', scheme: 'oauth2' },
  { title: 'Payments', slug: 'payments', file: 'payments.json', scheme: 'signature' },
  { title: 'Activity sync', slug: 'activity-sync', file: 'default-integration.json', scheme: 'signature' },
  { title: 'Access tokens', slug: 'oauth', file: 'oauth.json', scheme: 'client' },
  { title: 'Records, variant B', slug: 'records-b', file: 'v1-b.json', scheme: 'oauth2' },
  { title: 'Records, variant C', slug: 'records-c', file: 'v1-c.json', scheme: 'oauth2' },
];

export const ReferencePage: FC<Pick<ConsoleOptions, 'url' | 'credentials'>> = ({ url, credentials }) => {
  const settings = { url, credentials, documents: DOCUMENTS };
  return (
    <Document title="API · Placar" class="reference" head={<script src="/console/scalar.js" defer />}>
      <header class="reference-head">
        <Brand />
        <nav aria-label="Console">
          <a href="/">Overview</a>
          <a href="/requests">Requests</a>
          <a href="/reference" aria-current="page">
            API
          </a>
        </nav>
        <p>
          Calls go to this stack as the demo tenant. Its key and client are part of this page, so that each
          call can be tried: a token is fetched and payments are signed (<code>SVC-SIGN-V1</code>,{' '}
          <code>Idempotency-Key</code>) as a call is sent.
        </p>
      </header>
      <main id="main" tabindex={-1} aria-label="API reference">
        <h1 class="visually-hidden">API reference</h1>
        <noscript>
          <p>
            The reference needs a script. The documents themselves: <a href="/openapi/v1.json">v1.json</a>,{' '}
            <a href="/openapi/payments.json">payments.json</a>.
          </p>
        </noscript>
        <div id="reference" />
      </main>
      {/* A block of data, which no browser runs; escaped so that no text ends it. */}
      <script
        id="reference-settings"
        type="application/json"
        dangerouslySetInnerHTML={{ __html: JSON.stringify(settings).replaceAll('<', '\\u003c') }}
      />
      <script src="/console/reference.js" defer />
    </Document>
  );
};
