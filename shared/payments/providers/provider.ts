// What a payment provider does for us, whichever it is. Every order carries our own id as its reference, which makes it
// safe to send again where a provider deduplicates, and possible to look up where it does not.

export type PaymentMethod = 'pix' | 'boleto' | 'bolepix' | 'card';

export interface ChargeOrder {
  /** Our invoice id. */
  reference: string;
  /** Minor units. */
  amountMinor: number;
  currency: string;
  method: PaymentMethod;
  description: string;
  customerName: string;
  /** When the artifact stops being payable. */
  expiresAt: Date;
  returnUrl: string | undefined;
}

/** What the payer needs; members by method. */
export interface Artifact {
  pix?: { payload: string };
  boleto?: { digitableLine: string; barcode: string };
  card?: { checkoutUrl: string };
}

export interface AcceptedCharge {
  providerReference: string;
  state: ProviderState;
  artifact: Artifact;
}

/** A state as the provider reports it, in our words. `at` orders reports of one order. */
export interface ProviderState {
  status: string;
  at: Date;
  /** The provider's fee in minor units; often known only afterwards. */
  feeMinor: number | undefined;
  /** When the funds settle, `YYYY-MM-DD`. */
  availableOn: string | undefined;
  reason: string | undefined;
}

export interface PayoutOrder {
  /** Our payout id. */
  reference: string;
  amountMinor: number;
  currency: string;
  /** PIX cashouts are final once accepted; international transfers pass through more states. */
  kind: 'pix' | 'international';
  beneficiary: unknown;
}

export interface AcceptedPayout {
  providerReference: string;
  state: ProviderState;
}

export interface TaxDocumentOrder {
  /** Our tax document id. */
  reference: string;
  serviceCode: string;
  amountMinor: number;
}

export interface IssuedTaxDocument {
  status: 'issued' | 'failed';
  reason: string | undefined;
}

/** The state of an order of ours. */
export interface ProviderReport {
  /** Our id. */
  reference: string;
  state: ProviderState;
}

/** A notification, verified and in our words. */
export interface Notification extends ProviderReport {
  /** The provider's own id of the event: the same event may come more than once. */
  eventId: string;
  resource: 'invoice' | 'payout';
}

export interface PaymentProvider {
  name: string;
  /** Throws `ProviderRefusal` when it says no, `ProviderSilence` when it says nothing. */
  createCharge(order: ChargeOrder): Promise<AcceptedCharge>;
  /** The charge with this reference, if the provider has one. */
  findCharge(order: ChargeOrder): Promise<AcceptedCharge | undefined>;
  /** Gives false when it is too late, because it was paid. */
  cancelCharge(reference: string): Promise<boolean>;
  createPayout(order: PayoutOrder): Promise<AcceptedPayout>;
  findPayout(reference: string): Promise<AcceptedPayout | undefined>;
  /** Gives false when it is too late. */
  cancelPayout(reference: string): Promise<boolean>;
  issueTaxDocument(order: TaxDocumentOrder): Promise<IssuedTaxDocument>;
  cancelTaxDocument(reference: string): Promise<boolean>;
  /** Whether a delivery with these headers can be the provider's: asked before its body is read. */
  mayNotify(headers: Headers): boolean;
  /** The notifications of a delivery, or undefined when it is not the provider's. */
  readNotifications(headers: Headers, body: Uint8Array): Promise<Notification[] | undefined>;
}

/** The provider said no: nothing was done. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}

/** The provider said nothing in time: it may have done it. Look it up before sending it again. */
export class ProviderSilence extends Error {
  override readonly name = 'ProviderSilence';
}
