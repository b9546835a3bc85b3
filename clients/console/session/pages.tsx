// The login page with the code, and the page after too many wrong codes.
import type { Child, FC } from 'hono/jsx';
import { t, tCount } from '../kit/language.ts';
import { Brand, Document } from '../kit/layout.tsx';

const Plain: FC<{ title: string; children?: Child }> = ({ title, children }) => (
  <Document title={`${title} · Placar`} class="message">
    <main id="main" tabindex={-1}>
      <Brand />
      <h1>{title}</h1>
      {children}
    </main>
  </Document>
);

/** `attemptsLeft` after a wrong code. */
export const CodePage: FC<{ attemptsLeft?: number | undefined }> = ({ attemptsLeft }) => (
  <Plain title={t('Enter the code from the terminal')}>
    <p id="code-help">{t('The terminal that runs the console shows a code of eight digits.')}</p>
    <form method="post" action="/session" class="form">
      <div class="form-field">
        <label for="code">{t('Code')}</label>
        <input
          id="code"
          name="code"
          type="text"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
          maxlength={9}
          autofocus
          aria-describedby={attemptsLeft === undefined ? 'code-help' : 'code-fault'}
          {...(attemptsLeft !== undefined && { 'aria-invalid': 'true' as const })}
        />
        {attemptsLeft !== undefined && (
          <p class="fault small" id="code-fault" role="alert">
            {tCount(
              attemptsLeft,
              'This code is wrong. {count} attempt left.',
              'This code is wrong. {count} attempts left.',
            )}
          </p>
        )}
      </div>
      <button type="submit" class="button primary">
        {t('Open the console')}
      </button>
    </form>
  </Plain>
);

export const StoppedPage: FC = () => (
  <Plain title={t('The console has stopped')}>
    <p>{t('Five wrong codes were entered. Start the console again.')}</p>
  </Plain>
);
