// Errors of payment providers. Each one says whether anything was done.

/** The provider rejected the request. Nothing was done. */
export class ProviderRejected extends Error {
  override readonly name: string = 'ProviderRejected';
}

/** The provider cannot refund the invoice, for a reason that callers can tell apart. Nothing was done. */
export class RefundRejected extends ProviderRejected {
  override readonly name = 'RefundRejected';
  readonly code: 'insufficient_balance' | 'refund_window_expired';
  constructor(code: RefundRejected['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The provider rejects the account's API key. Nothing was done. */
export class ProviderKeyRejected extends Error {
  override readonly name = 'ProviderKeyRejected';
}

/** The provider is temporarily refusing requests, for example because of rate limiting. Nothing was done. */
export class ProviderBusy extends Error {
  override readonly name = 'ProviderBusy';
  /** Seconds until a retry, if the provider specified it. */
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The provider did not respond in time and may have executed the request. Look the order up before sending it again. */
export class ProviderOutcomeUnknown extends Error {
  override readonly name = 'ProviderOutcomeUnknown';
}

/** The same, because the provider sent no response or one with a 5xx status. Several in a row make its account failing. */
export class ProviderUnreachable extends ProviderOutcomeUnknown {}

/** The order lacks a field that this provider requires, or has an unsupported value. Nothing was done. */
export class InvalidOrder extends Error {
  override readonly name = 'InvalidOrder';
  /** Invalid request fields, such as `customer.tax_id`, each with the violated rule. */
  readonly faults: readonly { field: string; message: string }[];
  constructor(faults: readonly { field: string; message: string }[]) {
    super(faults.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.faults = faults;
  }
}
