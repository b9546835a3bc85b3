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
          Requests go to this stack as the demo tenant. This page contains its key and client, so you can send
          requests: tokens are fetched automatically, and payment requests are signed (
          <code>SVC-SIGN-V1</code>) and get an <code>Idempotency-Key</code>.
        </p>
      </header>
      <main id="main" tabindex={-1} aria-label="API reference">
        <h1 class="visually-hidden">API reference</h1>
        <noscript>
          <p>
            The reference requires JavaScript. The documents: <a href="/openapi/v1.json">v1.json</a>,{' '}
            <a href="/openapi/payments.json">payments.json</a>.
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
