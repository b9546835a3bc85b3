import { ApiError } from '../platform/errors.ts';

const names = {
  invoice: 'invoice',
  payout: 'payout',
  tax_document: 'tax document of this invoice',
  entry: 'ledger entry',
};

/** The same for what does not exist and what belongs to somebody else. */
export function notFound(what: keyof typeof names): ApiError {
  return new ApiError('not_found', `There is no such ${names[what]}.`, { reason: 'not_found' });
}
