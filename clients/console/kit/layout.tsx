// The layout of every page.
import type { Child, FC } from 'hono/jsx';
import { languages } from '../../../shared/platform/messages/translate.ts';
import type { Frame, FramedView, NavigationItem, PageContent } from '../view.ts';
import { Icon } from './icons.tsx';
import { language, languageNames, t } from './language.ts';

const isIn = (path: string, section: string) =>
  section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`);

export const Document: FC<{
  title: string;
  class?: string;
  head?: Child;
  /** Time between refreshes, by default a second. */
  pollMs?: number | undefined;
  children?: Child;
}> = ({ title, class: name, head, pollMs, children }) => (
  <html lang={language()} {...(pollMs !== undefined && { 'data-poll': String(pollMs) })}>
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

/** Buttons that change the language: one for each other language, in that language. */
export const LanguageSwitch: FC<{ path: string; csrf: string }> = ({ path, csrf }) => (
  <form class="language" method="post" action="/console/language">
    <input type="hidden" name="_csrf" value={csrf} />
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

/** Whether the scopes of the credentials open a page. */
export const isOpen = ({ can }: Frame, { scopes }: Pick<NavigationItem, 'scopes'>): boolean =>
  scopes === undefined || scopes.some(can);

const NoAccess: FC = () => (
  <span class="no-access" title={t('Your credentials do not open this page')}>
    <Icon of="lock" />
    <span class="visually-hidden">({t('no access')})</span>
  </span>
);

const Side: FC<{ view: FramedView }> = ({ view: { path, frame, csrf } }) => (
  <header class="side">
    <div class="side-top">
      <Brand />
      <div class="side-tools">
        <LanguageSwitch path={path} csrf={csrf} />
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
    <details class="menu">
      <summary>
        <Icon of="menu" />
        {t('Menu')}
      </summary>
      <div class="menu-body">
        <nav class="main-nav" aria-label={t('Console')}>
          <ul>
            {frame.navigation.map((section) => {
              const paths = [section.path, ...(section.tabs ?? []).map((tab) => tab.path)];
              const opened = section.tabs
                ? section.tabs.some((tab) => isOpen(frame, tab))
                : isOpen(frame, section);
              const first = section.tabs?.find((tab) => isOpen(frame, tab)) ?? section;
              return (
                <li>
                  <a
                    href={first.path}
                    {...(paths.some((one) => isIn(path, one)) && { 'aria-current': 'page' as const })}
                  >
                    <Icon of={section.icon} />
                    {t(section.name)}
                    {!opened && <NoAccess />}
                  </a>
                </li>
              );
            })}
          </ul>
        </nav>
        <div class="side-foot">{frame.foot}</div>
      </div>
    </details>
  </header>
);

/** The pages of the section that the current one belongs to. */
const SectionTabs: FC<{ frame: Frame; path: string }> = ({ frame, path }) => {
  const section = frame.navigation.find(({ tabs }) => tabs?.some((tab) => isIn(path, tab.path)));
  if (!section?.tabs) return null;
  const closest = section.tabs
    .filter((tab) => isIn(path, tab.path))
    .reduce((one, other) => (other.path.length > one.path.length ? other : one));
  return (
    <nav class="tabs" aria-label={t(section.name)}>
      {section.tabs.map((tab) => (
        <a href={tab.path} {...(tab === closest && { 'aria-current': 'page' as const })}>
          {t(tab.name)}
          {!isOpen(frame, tab) && <NoAccess />}
        </a>
      ))}
    </nav>
  );
};

export const Layout: FC<{ view: FramedView; content: PageContent }> = ({ view, content }) => (
  <Document title={`${content.title} · Placar`} pollMs={content.pollMs ?? view.pollMs}>
    <div class="shell">
      <Side view={view} />
      <main id="main" tabindex={-1}>
        <SectionTabs frame={view.frame} path={content.section ?? view.path} />
        <div class="page-head">
          <div>
            <h1>{content.title}</h1>
            {content.lead !== undefined && <p class="lead">{content.lead}</p>}
          </div>
          {content.actions !== undefined && <div class="page-actions">{content.actions}</div>}
        </div>
        {view.notice !== undefined && (
          <p class="notice" role="status" tabindex={-1} data-focus lang={view.notice.lang}>
            {view.notice.text}
          </p>
        )}
        {content.body}
        {view.zone !== undefined && (
          <p class="muted small zone">{t('Times are in {zone}.', { zone: view.zone })}</p>
        )}
      </main>
    </div>
  </Document>
);
