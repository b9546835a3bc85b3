/** Errors in the format of HubSpot: `{status, message, correlationId, category}`. */
import { randomUUID } from 'node:crypto';
import { VendorError } from '../../fakes/vendor-error.ts';
import type { Row } from '../shared.ts';

export const refusal = (status: number, category: string, message: string, more: Row = {}): VendorError =>
  new VendorError(status, { status: 'error', message, correlationId: randomUUID(), category, ...more });
export const invalid = (message: string, more: Row = {}): VendorError =>
  refusal(400, 'VALIDATION_ERROR', message, more);
export const missing = () => refusal(404, 'OBJECT_NOT_FOUND', 'resource not found');
