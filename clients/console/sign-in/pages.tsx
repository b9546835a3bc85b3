// The pages on which people sign in and choose a workspace.
import type { Child, FC } from 'hono/jsx';
import { type Message, t } from '../kit/language.ts';
import { Code } from '../kit/small.tsx';
import { QrCode } from '../pages/invoice.tsx';
import type { AuthSettings } from './auth-api.ts';
import type { Flow } from './browser-cookies.ts';
import type { WorkspaceName } from './exchange.ts';
import { type Forms, Input, Plain, PostForm, SignOut } from './layout.tsx';
import { withNext } from './public-url.ts';

/** Why the person has to sign in again, by the value of `reason` in the address. */
export const reasons: ReadonlyMap<string, Message> = new Map([
  ['signed-out', 'You are signed out.'],
  ['ended', 'Your session has ended. Sign in again.'],
  ['access-ended', 'Your access has ended or has changed. Sign in again.'],
]);

const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
  workos: 'WorkOS',
};
const providerName = (name: string): string =>
  PROVIDER_NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1);

const Notice: FC<{ children?: Child }> = ({ children }) => (
  <p class="notice" role="status">
    {children}
  </p>
);

export interface SignInProps {
  forms: Forms;
  settings: AuthSettings;
  notice?: Child;
  /** What is wrong with the last attempt. */
  fault?: Child;
  email?: string;
}

export const SignInPage: FC<SignInProps> = ({ forms, settings, notice, fault, email }) => (
  <Plain title={t('Sign in')} path="/sign-in" formToken={forms.formToken}>
    {notice !== undefined && <Notice>{notice}</Notice>}
    <PostForm action="/sign-in" forms={forms} button="Sign in">
      <Input name="email" type="email" caption="Email" autocomplete="username" value={email} hasFocus />
      <Input
        name="password"
        type="password"
        caption="Password"
        autocomplete="current-password"
        {...(fault !== undefined && { fault })}
      />
    </PostForm>
    <h2>{t('Without a password')}</h2>
    <PostForm action="/sign-in/email" forms={forms} button="Send me a sign-in code" kind="quiet">
      <Input name="email" id="email-only" type="email" caption="Email" autocomplete="email" value={email} />
    </PostForm>
    {settings.providers.length > 0 && (
      <ul class="sign-in-links">
        {settings.providers.map((name) => (
          <li>
            <a class="button quiet" href={withNext(`/sign-in/with/${name}`, forms.next)}>
              {t('Sign in with {name}', { name: providerName(name) })}
            </a>
          </li>
        ))}
      </ul>
    )}
    {settings.hasSso && (
      <PostForm action="/sign-in/sso" forms={forms} button="Continue with SSO" kind="quiet">
        <Input name="domain" caption="Domain of your company" autocomplete="off" />
      </PostForm>
    )}
  </Plain>
);

const CodeInput: FC<{ fault: Child | undefined }> = ({ fault }) => (
  <Input
    name="code"
    caption="Code"
    autocomplete="one-time-code"
    hasFocus
    {...(fault !== undefined && { fault })}
  />
);

export const EmailSentPage: FC<{ forms: Forms; email: string; fault?: Child }> = ({
  forms,
  email,
  fault,
}) => (
  <Plain title={t('Check your email')} path="/sign-in/email" formToken={forms.formToken}>
    <p>
      {t(
        'If {email} has an account, an email is on its way. Open its link in this browser, or enter its code here.',
        {
          email,
        },
      )}
    </p>
    <PostForm action="/sign-in/code" forms={forms} button="Sign in">
      <CodeInput fault={fault} />
    </PostForm>
    <p>
      <a href={withNext('/sign-in', forms.next)}>{t('Sign in another way')}</a>
    </p>
  </Plain>
);

/** The address of the identity provider is a link, because the Content Security Policy stops forms that leave the console. */
export const SsoPage: FC<{ forms: Forms; domain: string; url: string }> = ({ forms, domain, url }) => (
  <Plain title={t('Continue with SSO')} path="/sign-in" formToken={forms.formToken}>
    <p>
      <a class="button primary" href={url}>
        {t('Continue at {name}', { name: domain })}
      </a>
    </p>
    <p>
      <a href={withNext('/sign-in', forms.next)}>{t('Sign in another way')}</a>
    </p>
  </Plain>
);

export const ConfirmPage: FC<{ forms: Forms; type: 'invite' | 'recovery' }> = ({ forms, type }) => (
  <Plain
    title={t(type === 'invite' ? 'Accept the invitation' : 'Recover your account')}
    path="/sign-in/confirm"
    formToken={forms.formToken}
  >
    <p>{t('Continue to sign in with this link. It works once.')}</p>
    <PostForm action="/sign-in/confirm" forms={forms} button="Continue" />
  </Plain>
);

interface PersonProps {
  forms: Forms;
  email: string;
  fault?: Child;
}

/** `isChange`: whether the person came to change the password, not for an invitation. */
export const PasswordPage: FC<PersonProps & { isChange: boolean }> = ({ forms, email, fault, isChange }) => (
  <Plain title={t('Choose a password')} path="/sign-in/password" formToken={forms.formToken} email={email}>
    <PostForm action="/sign-in/password" forms={forms} button="Save password">
      <Input
        name="password"
        type="password"
        caption="New password"
        autocomplete="new-password"
        hasFocus
        {...(fault !== undefined && { fault })}
      />
    </PostForm>
    <PostForm
      action="/sign-in/password"
      forms={forms}
      button={isChange ? 'Cancel' : 'Skip'}
      kind="quiet"
      hidden={{ skip: 'yes' }}
    />
  </Plain>
);

export const FactorPage: FC<PersonProps & { hasFactor: boolean; setUp?: Flow['factor'] }> = ({
  forms,
  email,
  fault,
  hasFactor,
  setUp,
}) => (
  <Plain title={t('Second factor')} path="/sign-in/mfa" formToken={forms.formToken} email={email}>
    {setUp ? (
      <>
        <p>
          {t(
            'Scan this code with an authenticator app, or enter the key. Then enter the code that it shows.',
          )}
        </p>
        <QrCode payload={setUp.uri} width={180} label={t('QR code for an authenticator app')} />
        <Code label={t('Key')}>{setUp.secret}</Code>
      </>
    ) : (
      <p>
        {t(
          hasFactor
            ? 'Enter the code that your authenticator app shows.'
            : 'This workspace requires a second factor. Set up an authenticator app.',
        )}
      </p>
    )}
    {hasFactor || setUp ? (
      <PostForm action="/sign-in/mfa" forms={forms} button="Continue">
        <CodeInput fault={fault} />
      </PostForm>
    ) : (
      <PostForm action="/sign-in/mfa/set-up" forms={forms} button="Set up" />
    )}
    <SignOut formToken={forms.formToken} />
  </Plain>
);

export const WorkspacesPage: FC<PersonProps & { workspaces: readonly WorkspaceName[] }> = ({
  forms,
  email,
  fault,
  workspaces,
}) => (
  <Plain title={t('Choose a workspace')} path="/workspaces" formToken={forms.formToken} email={email}>
    {fault !== undefined && (
      <p class="fault" role="alert">
        {fault}
      </p>
    )}
    <form method="post" action="/workspaces" class="form">
      <input type="hidden" name="_csrf" value={forms.formToken} />
      <input type="hidden" name="next" value={forms.next} />
      <ul class="sign-in-links">
        {workspaces.map(({ slug, name }) => (
          <li>
            <button type="submit" class="button quiet" name="tenant" value={slug}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </form>
    <SignOut formToken={forms.formToken} />
  </Plain>
);

export const NoWorkspacePage: FC<PersonProps> = ({ forms, email }) => (
  <Plain title={t('No workspace')} path="/workspaces" formToken={forms.formToken} email={email}>
    <p>{t('Nobody has given this account access to a workspace yet. Ask an admin of your workspace.')}</p>
    <SignOut formToken={forms.formToken} />
  </Plain>
);

/** Something failed before a workspace was open. */
export const StoppedPage: FC<{ forms: Forms; title: string; children?: Child }> = ({
  forms,
  title,
  children,
}) => (
  <Plain title={title} path="/sign-in" formToken={forms.formToken}>
    <p>{children}</p>
    <p>
      <a class="button primary" href={withNext('/sign-in', forms.next)}>
        {t('Go to sign-in')}
      </a>
    </p>
  </Plain>
);
