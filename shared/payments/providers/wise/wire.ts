// Schemas of Wise's responses and events, with the members that Placar reads. Ids are 64-bit numbers at Wise and strings here.
import { z } from 'zod';

const id = z.union([z.int().nonnegative(), z.string().regex(/^\d+$/)]).transform(String);
/** The member, or `fallback` if it is absent or null. */
const orElse = <T extends z.ZodType, F>(member: T, fallback: F) =>
  member.nullish().transform((value) => value ?? fallback);
const optionalText = orElse(z.string(), undefined);
const optionalNumber = orElse(z.number(), undefined);
const money = z.object({ value: z.number(), currency: z.string() });

/** Parses ISO 8601 and `2017-11-24 10:47:49`. Times without a time zone are UTC. */
export function timeOf(text: string): Date {
  const iso = text.trim().replace(' ', 'T');
  return new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso : `${iso}Z`);
}

const paymentOption = z.object({
  payIn: optionalText,
  payOut: optionalText,
  sourceAmount: optionalNumber,
  fee: z.object({ total: optionalNumber }).nullish(),
  price: z
    .object({ total: z.object({ value: z.object({ amount: optionalNumber }).nullish() }).nullish() })
    .nullish(),
});

export const quoteSchema = z.object({
  id: z.guid(),
  sourceCurrency: z.string(),
  targetCurrency: z.string(),
  sourceAmount: optionalNumber,
  targetAmount: optionalNumber,
  payOut: optionalText,
  status: optionalText,
  expirationTime: optionalText,
  paymentOptions: orElse(z.array(paymentOption), []),
  notices: orElse(z.array(z.object({ type: optionalText, text: optionalText })), []),
});
export type Quote = z.output<typeof quoteSchema>;

const requirement = z.object({
  key: z.string(),
  name: optionalText,
  required: orElse(z.boolean(), false),
  refreshRequirementsOnChange: orElse(z.boolean(), false),
  minLength: optionalNumber,
  maxLength: optionalNumber,
  validationRegexp: optionalText,
  valuesAllowed: orElse(z.array(z.object({ key: z.string(), name: optionalText })), undefined),
});
export type Requirement = z.output<typeof requirement>;

/** One form per recipient type, such as `iban`, with its fields in one flat list. */
export const formsSchema = z.array(
  z
    .object({
      type: z.string(),
      fields: z.array(z.object({ group: z.array(requirement) })),
    })
    .transform(({ type, fields }) => ({ type, fields: fields.flatMap(({ group }) => group) })),
);
export type Form = z.output<typeof formsSchema>[number];

export const recipientSchema = z.object({
  id,
  type: optionalText,
  currency: optionalText,
  legalEntityType: optionalText,
  active: z.boolean().nullish(),
  name: z.object({ fullName: optionalText }).nullish(),
  /** The name in Wise's older recipient resource. */
  accountHolderName: optionalText,
  details: z.record(z.string(), z.unknown()).nullish(),
});
export type Recipient = z.output<typeof recipientSchema>;

export const recipientsSchema = z.object({
  content: z.array(recipientSchema),
  seekPositionForNext: id.nullish(),
});

export const transferSchema = z.object({
  id,
  status: z.string(),
  quoteUuid: orElse(z.guid(), undefined),
  created: z.string(),
  sourceCurrency: z.string(),
  targetCurrency: z.string(),
  targetValue: optionalNumber,
  customerTransactionId: optionalText,
});
export type Transfer = z.output<typeof transferSchema>;
export const transfersSchema = z.array(transferSchema);

export const paymentsSchema = z.array(
  z.object({ status: optionalText, method: optionalText, amount: optionalNumber, currency: optionalText }),
);
export type Payment = z.output<typeof paymentsSchema>[number];

export const fundingSchema = z.object({ status: z.string(), errorCode: optionalText });

export const balancesSchema = z.array(
  z.object({ id, currency: z.string(), type: optionalText, amount: money }),
);
export type WiseBalance = z.output<typeof balancesSchema>[number];

export const profilesSchema = z.array(z.object({ id, type: optionalText, businessName: optionalText }));

export const statementSchema = z.object({
  transactions: z.array(
    z.object({
      type: z.string(),
      date: z.string(),
      amount: money,
      details: z.object({ type: optionalText, description: optionalText }).nullish(),
      referenceNumber: z.string(),
    }),
  ),
});
export type StatementTransaction = z.output<typeof statementSchema>['transactions'][number];

export const subscriptionSchema = z.object({
  id: z.guid(),
  trigger_on: z.string(),
  delivery: z.object({ version: optionalText, url: z.string() }),
});
export type Subscription = z.output<typeof subscriptionSchema>;
export const subscriptionsSchema = z.array(subscriptionSchema);

/** The members of webhook events that Placar reads, whatever their type. */
export const eventSchema = z.object({
  event_type: z.string(),
  sent_at: optionalText,
  data: z.object({
    resource: z.object({ type: optionalText, id: id.nullish(), profile_id: id.nullish() }).nullish(),
    transfer_id: id.nullish(),
    profile_id: id.nullish(),
    current_state: optionalText,
    failure_reason_code: optionalText,
    occurred_at: optionalText,
  }),
});
