// The layout and the forms of pages before a workspace is open.
import type { Child, FC } from 'hono/jsx';
import { type Message, t } from '../kit/language.ts';
import { Brand, Document, LanguageSwitch } from '../kit/layout.tsx';

export interface Forms {
  /** Token that every form must carry. */
  formToken: string;
  /** Where to go after signing in. */
  next: string;
}

export const Plain: FC<{
  title: string;
  path: string;
  formToken: string;
  email?: string;
  children?: Child;
}> = ({ title, path, formToken, email, children }) => (
  <Document title={`${title} · Placar`} class="message sign-in">
    <main id="main" tabindex={-1}>
      <div class="sign-in-head">
        <Brand />
        <LanguageSwitch path={path} csrf={formToken} />
      </div>
      <h1>{title}</h1>
      {email !== undefined && <p class="muted">{t('Signed in as {email}.', { email })}</p>}
      {children}
    </main>
  </Document>
);

/** A form with one button. `hidden` are further values. */
export const PostForm: FC<{
  action: string;
  forms: Forms;
  button: Message;
  hidden?: Readonly<Record<string, string>>;
  kind?: 'primary' | 'quiet';
  children?: Child;
}> = ({ action, forms, button, hidden = {}, kind = 'primary', children }) => (
  <form method="post" action={action} class="form">
    <input type="hidden" name="_csrf" value={forms.formToken} />
    <input type="hidden" name="next" value={forms.next} />
    {Object.entries(hidden).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {children}
    <button type="submit" class={`button ${kind}`}>
      {t(button)}
    </button>
  </form>
);

interface InputProps {
  name: string;
  id?: string;
  caption: Message;
  type?: 'text' | 'email' | 'password';
  autocomplete: string;
  value?: string | undefined;
  hasFocus?: boolean;
  /** What is wrong with the value. */
  fault?: Child;
}

export const Input: FC<InputProps> = ({
  name,
  id = name,
  caption,
  type = 'text',
  autocomplete,
  value,
  hasFocus,
  fault,
}) => (
  <div class="form-field">
    <label for={id}>{t(caption)}</label>
    <input
      id={id}
      name={name}
      type={type}
      autocomplete={autocomplete}
      required
      maxlength={name === 'code' ? 10 : 320}
      {...(name === 'code' && { inputmode: 'numeric' as const })}
      {...(value !== undefined && { value })}
      {...(hasFocus && { autofocus: true })}
      {...(fault !== undefined && { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-fault` })}
    />
    {fault !== undefined && (
      <p class="fault small" id={`${id}-fault`} role="alert">
        {fault}
      </p>
    )}
  </div>
);

export const SignOut: FC<{ formToken: string }> = ({ formToken }) => (
  <form method="post" action="/sign-out" class="sign-out">
    <input type="hidden" name="_csrf" value={formToken} />
    <button type="submit" class="button quiet">
      {t('Sign out')}
    </button>
    <button type="submit" class="button quiet" name="everywhere" value="yes">
      {t('Sign out everywhere')}
    </button>
  </form>
);
