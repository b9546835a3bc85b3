// The emails that Auth sends. In a deployment, their texts are templates in the settings of Auth.
import { type Language, languages } from '../../../shared/platform/messages/translate.ts';
import { withQuery } from './redirects.ts';

export interface Mail {
  to: string[];
  subject: string;
  text: string;
}

export type MailKind = 'invite' | 'magiclink' | 'recovery';

interface MailContent {
  kind: MailKind;
  email: string;
  /** Six digits. */
  code: string;
  tokenHash: string;
  redirectTo: string;
  language: Language;
}

export type Mailer = (content: MailContent) => Promise<void>;

type Text = { subject: string; text: string };

const texts: Record<MailKind, Record<Language, Text>> = {
  invite: {
    en: {
      subject: 'You have been invited',
      text: 'You have been invited. Follow this link to accept the invitation:\n\n{link}\n',
    },
    'pt-BR': {
      subject: 'Você recebeu um convite',
      text: 'Você recebeu um convite. Abra este link para aceitar:\n\n{link}\n',
    },
  },
  magiclink: {
    en: {
      subject: 'Your sign-in link',
      text: 'Follow this link to sign in:\n\n{link}\n\nOr enter this code: {code}\n',
    },
    'pt-BR': {
      subject: 'Seu link de acesso',
      text: 'Abra este link para entrar:\n\n{link}\n\nOu digite este código: {code}\n',
    },
  },
  recovery: {
    en: {
      subject: 'Reset your password',
      text: 'Follow this link to reset your password:\n\n{link}\n',
    },
    'pt-BR': {
      subject: 'Redefina sua senha',
      text: 'Abra este link para redefinir sua senha:\n\n{link}\n',
    },
  },
};

/** Language of a user, as stored when the user was invited. */
export const languageOf = (metadata: Record<string, unknown> | null): Language =>
  languages.find((language) => language === metadata?.language) ?? 'en';

/** The page of a console's sign-in that asks before it uses a link. */
const SIGN_IN_PAGE = /\/sign-in\/?$/;

/** Sends emails with a link to `GET /verify`; those that lead to a hosted console, with the link of its email templates. */
export function createMailer(authUrl: string, send: (mail: Mail) => void | Promise<void>): Mailer {
  return async ({ kind, email, code, tokenHash, redirectTo, language }) => {
    const { subject, text } = texts[kind][language];
    const page = new URL(redirectTo);
    const isSignIn = kind !== 'magiclink' && SIGN_IN_PAGE.test(page.pathname);
    if (isSignIn) page.pathname = page.pathname.replace(SIGN_IN_PAGE, '/sign-in/confirm');
    const link = isSignIn
      ? withQuery(page.href, { token_hash: tokenHash, type: kind })
      : withQuery(`${authUrl}/verify`, { token: tokenHash, type: kind, redirect_to: redirectTo });
    await send({ to: [email], subject, text: text.replace('{link}', link).replace('{code}', code) });
  };
}
