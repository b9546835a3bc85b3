import { z } from 'zod';

/** An email address in lower case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email('Unable to validate email address: invalid format'));
