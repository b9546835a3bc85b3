// The guard of payments: persons send the access token that they exchanged, programs sign with their API key.
import type { Guard } from './guard.ts';

/** A bearer token that is no API key. API keys must sign. */
const BEARER_TOKEN = /^Bearer +(?!sk_)/i;

/** Whether the sender of an Authorization header attempts to act as a person. */
export const isPersonsAttempt = (authorization: string | undefined): boolean =>
  authorization !== undefined && BEARER_TOKEN.test(authorization);

/** Chooses the guard of persons, whose transactions run as the role `payments`, or that of signed requests. */
export const requirePersonOrSignature =
  (persons: Guard, signatures: Guard): Guard =>
  (rule) => {
    const ofPersons = persons({ ...rule, administersAs: 'payments' });
    const ofSignatures = signatures(rule);
    return (c, next) => (isPersonsAttempt(c.req.header('authorization')) ? ofPersons : ofSignatures)(c, next);
  };
