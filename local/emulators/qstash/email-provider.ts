/** Catches what is published to Resend, QStash's e-mail provider, so that no mail leaves the machine. */
import * as z from 'zod';
import type { Answer, Message } from './message.ts';

/** A mail that would have been sent. */
export interface Mail {
  to: string[];
  subject: string;
  text: string;
  html?: string;
}

const resendMail = z.object({
  to: z.union([z.string().transform((address) => [address]), z.array(z.string()).min(1)]),
  subject: z.string(),
  text: z.string().optional(),
  html: z.string().optional(),
});
const resendBody = z.union([resendMail.transform((mail) => [mail]), z.array(resendMail).min(1)]);

/** Whether a destination is Resend's; all of its addresses count, so that none is ever called. */
export const isMail = (url: string): boolean => new URL(url).hostname === 'api.resend.com';

/** Hands each mail of the message over and answers as Resend would; 422 when the body is not a mail. */
export async function sendMail(
  message: Message,
  onMail: (mail: Mail) => Promise<void> | void,
): Promise<Answer> {
  const mails = parseMails(Buffer.from(message.bodyBase64, 'base64').toString());
  if (mails === undefined) {
    return answer(422, { name: 'validation_error', message: 'The body is not a mail.' });
  }
  for (const { to, subject, text, html } of mails) {
    await onMail({
      to,
      subject,
      text: text ?? withoutTags(html ?? ''),
      ...(html === undefined ? {} : { html }),
    });
  }
  return answer(200, { id: message.messageId });
}

function parseMails(text: string): z.output<typeof resendBody> | undefined {
  try {
    return resendBody.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const withoutTags = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const answer = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': ['application/json'] },
  body: Buffer.from(JSON.stringify(body)),
});
