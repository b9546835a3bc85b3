// Parameters of a query string or form. All our parameters have a single value, so repeated ones are rejected.
import { ApiError } from './errors.ts';

export class Query {
  readonly #sent: URLSearchParams;

  constructor(sent: URLSearchParams | string) {
    this.#sent = typeof sent === 'string' ? new URLSearchParams(sent) : sent;
  }

  /**
   * Returns the parameters with these names. A function maps the name that was sent to the name to use, or to undefined to ignore it.
   * Throws `validation` with the names of repeated parameters.
   */
  take(names: readonly string[] | ((sent: string) => string | undefined)): Map<string, string> {
    const nameOf =
      typeof names === 'function' ? names : (sent: string) => (names.includes(sent) ? sent : undefined);
    const values = new Map<string, string>();
    const repeated = new Set<string>();
    for (const [sent, value] of this.#sent) {
      const name = nameOf(sent);
      if (name === undefined) continue;
      if (values.has(name)) repeated.add(sent);
      else values.set(name, value);
    }
    if (repeated.size > 0) throw repeatedParameters([...repeated]);
    return values;
  }
}

const repeatedParameters = (names: string[]) =>
  new ApiError('validation', `Send each of these parameters only once: ${names.join(', ')}.`, {
    details: names.map((field) => ({ field, message: 'must be sent only once' })),
    reason: 'repeated_parameter',
  });
