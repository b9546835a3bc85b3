// Why a request created no payout.
import type { ApiError } from '../../platform/errors.ts';
import { amountErrors, problemOf, type RoutingProblem } from '../providers/routing.ts';
import { invalidFields, unknownCostCenter } from '../requests/errors.ts';
import type { PayoutRequest } from './schema.ts';

/** `choice` is the result of `insertPayout` or `checkPayout`. */
export function notCreated({ input, errors }: PayoutRequest, choice: RoutingProblem | undefined): ApiError {
  const faults = errors(choice ? amountErrors(choice) : []);
  if (faults.length > 0) return invalidFields(faults);
  return (choice && problemOf(choice)) ?? unknownCostCenter(input?.cost_center);
}
