/** Errors in the format of Asaas: `{"errors": [{code, description}]}`. */
import { EmulatedProviderError } from '../emulated-provider-error.ts';

export interface ErrorItem {
  code: string;
  description: string;
}

export class AsaasError extends EmulatedProviderError {
  constructor(status: number, errors: ErrorItem[], headers: Record<string, string> = {}) {
    super(status, { errors }, headers);
  }
}

export const badRequest = (code: string, description: string): AsaasError =>
  new AsaasError(400, [{ code, description }]);

/** An action that is not allowed in the current state. */
export const invalidAction = (description: string): AsaasError => badRequest('invalid_action', description);

/** An unknown id: 404 without a body. */
export const notFound = (): EmulatedProviderError => new EmulatedProviderError(404, undefined);

export const serverError = (status: number): Response =>
  Response.json(
    { errors: [{ code: 'internal_error', description: 'Ocorreu um erro interno. Tente novamente.' }] },
    { status },
  );

export const TOO_MANY = 'Limite de requisições excedido. Tente novamente mais tarde.';

/** @param resetSeconds until requests are accepted again */
export const rateLimited = (limit: number, resetSeconds: number): AsaasError =>
  new AsaasError(429, [{ code: 'too_many_requests', description: TOO_MANY }], {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': String(resetSeconds),
  });
