// The emails that Placar sends. Jobs named `send-mail` refer to them by name (private.send_mail).
import type { Message } from '../messages/translate.ts';

interface Mail {
  subject: Message;
  text: Message;
}

export const mails = {
  invitation: {
    subject: 'You have been invited to {tenant}',
    text: '{tenant} has invited you to its workspace. Open this link to accept the invitation:\n\n{link}\n',
  },
  webhook_suspended: {
    subject: 'Webhook suspended',
    text: 'A webhook of {tenant} was suspended. New events are queued.\n\nURL: {url}\nReason: {reason}\nWebhook: {webhook}\n\nWe retry one delivery, with increasing delays. When it succeeds, the others follow. After {failures} failures in a row the webhook is deactivated.\n',
  },
  webhook_deactivated: {
    subject: 'Webhook deactivated',
    text: 'A webhook of {tenant} was deactivated and receives no more events.\n\nURL: {url}\nReason: {reason}\nWebhook: {webhook}\n\nOnce the receiver works again, ask an administrator to reactivate the webhook and replay the missed events.\n',
  },
  provider_failing: {
    subject: 'Your {provider} account stopped working with Placar',
    text: 'The {provider} account of {tenant} is not working: {reason}\n\nNew orders for this account fail until it works again. We check it every minute.\n',
  },
  crm_failing: {
    subject: 'Your {crm} account stopped working with Placar',
    text: 'The {crm} account of {tenant} is not working: {reason}\n\nUntil it works again, changes in {crm} do not arrive in Placar. They are read afterwards. We check it every minute.\n',
  },
  second_transfer: {
    subject: 'Placar refused a second transfer for a payout',
    text: '{provider} asked Placar to approve transfer {transfer} for payout {payout} of {tenant}, which already has transfer {known}. Placar refused it.\n\nFind out at {provider} who created it. If it was nobody at your company, replace the API key.\n',
  },
} as const satisfies Record<string, Mail>;

type MailName = keyof typeof mails;
export const mailNames = Object.keys(mails) as MailName[];
