// Emails that the stack captured instead of sending them.
import type { FC } from 'hono/jsx';
import { t } from '../../../clients/console/kit/language.ts';
import { Avatar, Empty, Panel, Time } from '../../../clients/console/kit/small.tsx';
import type { RecordedMail } from '../../emulators/mailbox.ts';
import type { Page } from '../view.ts';

const MAX_MAILS = 100;

export const mail: Page = async (view) => {
  const mails = view.mailbox.newestFirst().slice(0, MAX_MAILS);
  const shown = mails.find(({ id }) => id === view.query('mail')) ?? mails[0];
  return {
    title: t('Emails'),
    lead: t('Emails captured instead of sent, for all tenants. Their links work.'),
    body:
      shown === undefined ? (
        <Panel live="mail">
          <Empty title={t('No emails yet')}>
            {t('Invite a user with')} <a href="/reference">POST /v1/users</a>.{' '}
            {t('The invitation appears here.')}
          </Empty>
        </Panel>
      ) : (
        <div class="mail">
          <Panel live="mails" class="mail-list">
            <nav aria-label={t('Emails')}>
              <ul>
                {mails.map((one) => (
                  <li data-key={one.id}>
                    <a
                      href={`/mailbox?mail=${one.id}`}
                      {...(one.id === shown.id && { 'aria-current': 'true' as const })}
                    >
                      <span class="mail-to">{one.to.join(', ')}</span>
                      <span class="mail-time">
                        <Time at={one.at} now={view.now} />
                      </span>
                      <span class="mail-subject">{one.subject}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          </Panel>
          <Letter of={shown} now={view.now} />
        </div>
      ),
  };
};

const Letter: FC<{ of: RecordedMail; now: Date }> = ({ of, now }) => (
  <article class="panel letter">
    <header>
      <h2>{of.subject}</h2>
      <p>
        <Avatar name="Placar" />
        <span>
          {t('Placar to {recipients}', { recipients: of.to.join(', ') })}
          <br />
          <span class="muted">
            <Time at={of.at} now={now} />
          </span>
        </span>
      </p>
    </header>
    <div class="letter-text">
      {of.text.split(/\n{2,}/).map((paragraph) => (
        <p>{linked(paragraph, of.links)}</p>
      ))}
    </div>
  </article>
);

/** The text with clickable links. */
function linked(text: string, links: readonly string[]) {
  if (links.length === 0) return text;
  const pattern = links.map((link) => link.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`(${pattern})`)).map((part) =>
    links.includes(part) ? (
      <a href={part} rel="noreferrer">
        {part}
      </a>
    ) : (
      part
    ),
  );
}
