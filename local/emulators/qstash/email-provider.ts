/** Captures emails published to Resend, QStash's email provider, so that none is sent. */
import { z } from 'zod';
import type { Answer, Message } from './message.ts';

const resendBody = z.object({
  to: z.array(z.string()).min(1),
  subject: z.string(),
  text: z.string(),
});

/** An email that would have been sent. */
export type Mail = z.output<typeof resendBody>;

/** Whether the destination is Resend. Matches all of its paths, so that Resend is never called. */
export const isMail = (url: string): boolean => new URL(url).hostname === 'api.resend.com';

/** Captures the email of a message and responds like Resend; 422 if the body is not an email. */
export async function sendMail(
  message: Message,
  onMail: (mail: Mail) => Promise<void> | void,
): Promise<Answer> {
  const mail = parseMail(Buffer.from(message.bodyBase64, 'base64').toString());
  if (mail === undefined) {
    return answer(422, { name: 'validation_error', message: 'The body is not a valid email.' });
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
