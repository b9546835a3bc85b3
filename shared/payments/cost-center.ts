import { ApiError } from '../platform/errors.ts';

export function unknownCostCenter(code: string | undefined): ApiError {
  const message = `The cost center ${code ?? ''} is not registered.`;
  return new ApiError('unknown_cost_center', message, {
    details: [{ field: 'cost_center', message: 'is not registered' }],
  });
}
