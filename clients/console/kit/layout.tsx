// The layout of every page.
import type { Child, FC } from 'hono/jsx';
import { languages, type Message } from '../../../shared/platform/messages/translate.ts';
import type { PageContent, View } from '../view.ts';
import { Icon, type IconName } from './icons.tsx';
import { language, languageNames, t } from './language.ts';

const NAVIGATION: [path: string, name: Message, icon: IconName][] = [
  ['/', 'Overview', 'overview'],
  ['/requests', 'Requests', 'requests'],
  ['/events', 'Events', 'events'],
  ['/jobs', 'Jobs', 'jobs'],
  ['/mailbox', 'Emails', 'mail'],
  ['/standings', 'Standings', 'standings'],
  ['/records', 'Records', 'records'],
  ['/payments', 'Payments', 'payments'],
  ['/reference', 'API', 'reference'],
];

/** Messages after a redirect from an action. */
const NOTICES: Readonly<Record<string, Message>> = {
  replayed: 'The delivery is being resent.',
  retried: 'The job is being retried.',
  paid: 'Paid. See the ledger for the entry; webhooks are being sent.',
  declined: 'The payment was declined.',
  expiring: 'The invoice is expiring.',
};

const isIn = (path: string, section: string) =>
  section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`);

export const Document: FC<{ title: string; class?: string; head?: Child; children?: Child }> = ({
  title,
  class: name,
  head,
  children,
}) => (
  <html lang={language()}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/console/console.css" />
      <script src="/console/console.js" />
      {head}
    </head>
    <body {...(name !== undefined && { class: name })}>
      <a class="skip" href="#main">
        {t('Skip to content')}
      </a>
      {children}
    </body>
  </html>
);

export const Brand: FC = () => (
  <a class="brand" href="/">
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <rect width="24" height="24" rx="6" class="brand-ground" />
      <path d="M6 18v-5M12 18V6M18 18v-8" class="brand-bars" />
    </svg>
    <span>Placar</span>
  </a>
);

/** Tenant selector. Shown only if there is more than one tenant. */
const TenantSwitch: FC<{ view: View }> = ({ view: { tenant, tenants, path } }) =>
  tenants.length < 2 ? (
    <p class="tenant">
      <span class="muted">{t('Tenant')}</span> {tenant.name}
    </p>
  ) : (
    <form class="tenant" method="post" action="/console/tenant" data-filters>
      <label>
        <span class="muted">{t('Tenant')}</span>
        <select name="tenant">
          {tenants.map(({ id, name }) => (
            <option value={id} selected={id === tenant.id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <input type="hidden" name="path" value={path} />
      <button type="submit" class="button quiet">
        {t('Show')}
      </button>
    </form>
  );

/** Buttons that change the language: one for each other language, in that language. */
export const LanguageSwitch: FC<{ path: string }> = ({ path }) => (
  <form class="language" method="post" action="/console/language">
    <input type="hidden" name="path" value={path} />
    {languages
      .filter((one) => one !== language())
      .map((one) => (
        <button type="submit" name="language" value={one} lang={one} title={languageNames[one]}>
          <span aria-hidden="true">{one.slice(0, 2).toUpperCase()}</span>
          <span class="visually-hidden">{languageNames[one]}</span>
        </button>
      ))}
  </form>
);

const Side: FC<{ view: View }> = ({ view }) => (
  <header class="side">
    <div class="side-top">
      <Brand />
      <div class="side-tools">
        <LanguageSwitch path={view.path} />
        <button
          type="button"
          class="theme"
          data-theme-switch
          data-auto={t('Theme: automatic')}
          data-light={t('Theme: light')}
          data-dark={t('Theme: dark')}
          hidden
        >
          <Icon of="theme" />
          <span class="visually-hidden">{t('Change theme')}</span>
        </button>
      </div>
    </div>
    <nav class="main-nav" aria-label={t('Console')}>
      <ul>
        {NAVIGATION.map(([path, name, icon]) => (
          <li>
            <a href={path} {...(isIn(view.path, path) && { 'aria-current': 'page' as const })}>
              <Icon of={icon} />
              {t(name)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <div class="side-foot">
      <TenantSwitch view={view} />
      <p class="muted small">
        {t('Local stack, {address}', { address: view.url.replace(/^https?:\/\//, '') })}
      </p>
    </div>
  </header>
);

export const Layout: FC<{ view: View; content: PageContent }> = ({ view, content }) => {
  const notice = NOTICES[view.query('notice')];
  return (
    <Document title={`${content.title} · Placar`}>
      <div class="shell">
        <Side view={view} />
        <main id="main" tabindex={-1}>
          <div class="page-head">
            <div>
              <h1>{content.title}</h1>
              {content.lead !== undefined && <p class="lead">{content.lead}</p>}
            </div>
            {content.actions !== undefined && <div class="page-actions">{content.actions}</div>}
          </div>
          {notice !== undefined && (
            <p class="notice" role="status">
              {t(notice)}
            </p>
          )}
          {content.body}
        </main>
      </div>
    </Document>
  );
};
