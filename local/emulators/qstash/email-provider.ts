/** Catches what is published to Resend, QStash's e-mail provider, so that no mail leaves the machine. */
import { z } from 'zod';
import type { Answer, Message } from './message.ts';

const resendBody = z.object({
  to: z.array(z.string()).min(1),
  subject: z.string(),
  text: z.string(),
});

/** A mail that would have been sent. */
export type Mail = z.output<typeof resendBody>;

/** Whether a destination is Resend's; all of its addresses count, so that none is ever called. */
export const isMail = (url: string): boolean => new URL(url).hostname === 'api.resend.com';

/** Hands the mail of the message over and answers as Resend would; 422 when the body is not a mail. */
export async function sendMail(
  message: Message,
  onMail: (mail: Mail) => Promise<void> | void,
): Promise<Answer> {
  const mail = parseMail(Buffer.from(message.bodyBase64, 'base64').toString());
  if (mail === undefined) {
    return answer(422, { name: 'validation_error', message: 'The body is not a mail.' });
  }
  await onMail(mail);
  return answer(200, { id: message.messageId });
}

function parseMail(text: string): Mail | undefined {
  try {
    return resendBody.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const answer = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
