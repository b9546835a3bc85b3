/** Emulates mailboxes: captures outgoing emails for developers and tests. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { openEntryLog } from './entry-log.ts';

const MAX_MAILS = 500;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** An outgoing email. */
interface OutgoingMail {
  to: string[];
  subject: string;
  text: string;
}

/** An email as listed by the mailbox. */
export interface RecordedMail {
  id: string;
  /** RFC 3339, UTC. */
  at: string;
  to: string[];
  subject: string;
  text: string;
  /** The distinct http(s) URLs in the text. */
  links: string[];
}

export interface Mailbox {
  /** Resolves when the email is on disk. */
  add(mail: OutgoingMail): Promise<void>;
  newestFirst(): RecordedMail[];
  /** `GET /` lists the emails, newest first; `DELETE /` empties the mailbox. */
  routes: Hono;
}

/** Opens the mailbox of a directory. Keeps the newest 500 emails. */
export function createMailbox(directory: string): Mailbox {
  const mails = openEntryLog<RecordedMail>(directory, {
    maxEntries: MAX_MAILS,
    maxCharacters: MAX_CHARACTERS,
  });
  const routes = new Hono();
  routes.get('/', (c) => c.json(mails.newestFirst()));
  routes.delete('/', async (c) => {
    await mails.clear();
    return c.body(null, 204);
  });
  return {
    routes,
    newestFirst: () => mails.newestFirst(),
    add: ({ to, subject, text }) =>
      mails.add({
        id: `mail_${randomUUID()}`,
        at: new Date().toISOString(),
        to,
        subject,
        text,
        links: linksOf(text),
      }),
  };
}

function linksOf(text: string): string[] {
  // A full stop or comma after a link belongs to the sentence.
  const links = Array.from(text.matchAll(/https?:\/\/[^\s<>"'()[\]]+/g), ([link]) =>
    link.replace(/[.,;:!?]+$/, ''),
  );
  return [...new Set(links)];
}
