// Schemas of Asaas' responses. They cover only the members in use and ignore all others.
import { z } from 'zod';

const text = z.string().nullish();

const number = z.number().nullish();

export const refund = z.object({
  dateCreated: text,
  status: text,
  value: z.number(),
  description: text,
  effectiveDate: text,
});
export type Refund = z.infer<typeof refund>;

/** A fine or discount. `FIXED` values are in reais. */
const rule = z.object({ value: z.number().nullish(), type: text, dueDateLimitDays: z.number().nullish() });

export const payment = z.object({
  id: z.string().min(1),
  dateCreated: text,
  /** In reais, like all amounts. */
  value: z.number(),
  /** Amount after fees. */
  netValue: z.number().nullish(),
  /** The requested amount, if a different amount was paid. */
  originalValue: z.number().nullish(),
  /** Fine and interest that were paid. */
  interestValue: z.number().nullish(),
  dueDate: text,
  originalDueDate: text,
  fine: rule.nullish(),
  interest: rule.nullish(),
  discount: rule.nullish(),
  billingType: text,
  status: z.string(),
  deleted: z.boolean().nullish(),
  externalReference: text,
  invoiceUrl: text,
  bankSlipUrl: text,
  confirmedDate: text,
  paymentDate: text,
  clientPaymentDate: text,
  creditDate: text,
  estimatedCreditDate: text,
  /** Set if the payment was made by PIX, also for a boleto with a PIX code. */
  pixTransaction: z.unknown().optional(),
  refunds: z.array(refund).nullish(),
  chargeback: z
    .object({ id: text, status: text, value: z.number().nullish(), disputeStartDate: text })
    .nullish(),
});
export type Payment = z.infer<typeof payment>;

export const pathOf = ({ id }: Pick<Payment, 'id'>): string => `/payments/${encodeURIComponent(id)}`;

export const transfer = z.object({
  id: z.string().min(1),
  dateCreated: text,
  value: z.number(),
  status: z.string(),
  transferFee: z.number().nullish(),
  effectiveDate: text,
  /** Set once the transfer was executed, even if it failed later. */
  confirmedDate: text,
  /** False while the transfer awaits manual authorization. */
  authorized: z.boolean().nullish(),
  failReason: text,
  externalReference: text,
});
export type Transfer = z.infer<typeof transfer>;

/** A fiscal document. Our invoices are payments at Asaas. */
export const fiscalInvoice = z.object({
  id: z.string().min(1),
  status: z.string(),
  /** The municipality's message. */
  statusDescription: text,
  externalReference: text,
  number: z.union([z.string(), z.number()]).nullish(),
  validationCode: text,
  pdfUrl: text,
  xmlUrl: text,
  /** Calculated by Asaas, for information only: an unexpected value must not fail the document. */
  taxes: z
    .object({
      stateIbs: number,
      stateIbsValue: number,
      municipalIbs: number,
      municipalIbsValue: number,
      cbs: number,
      cbsValue: number,
    })
    .nullish()
    .catch(null),
});
export type FiscalInvoice = z.infer<typeof fiscalInvoice>;

export const customer = z.object({
  id: z.string().min(1),
  name: text,
  cpfCnpj: text,
  email: text,
  phone: text,
  mobilePhone: text,
  address: text,
  addressNumber: text,
  complement: text,
  province: text,
  postalCode: text,
  externalReference: text,
  notificationDisabled: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
});

/** A movement of the balance. */
export const movement = z.object({
  id: z.union([z.string().min(1), z.number()]).transform(String),
  /** In reais, signed. */
  value: z.number(),
  type: z.string(),
  date: z.string(),
  description: text,
  paymentId: text,
  transferId: text,
});
export type Movement = z.infer<typeof movement>;

export const webhook = z.object({
  id: z.string().min(1),
  url: text,
  enabled: z.boolean().nullish(),
  interrupted: z.boolean().nullish(),
  penalizedRequestsCount: z.number().nullish(),
});
export type Webhook = z.infer<typeof webhook>;

/** For responses whose content is not used. */
export const ignoredResponse = z.unknown();
