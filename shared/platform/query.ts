// The parameters of a query or a form. Each of ours has one value, so one that comes twice is refused, whoever reads it.
import { ApiError } from './errors.ts';

export class Query {
  readonly #sent: URLSearchParams;

  constructor(sent: URLSearchParams | string) {
    this.#sent = typeof sent === 'string' ? new URLSearchParams(sent) : sent;
  }

  /**
   * The parameters with these names; or those that `nameOf` has a name for, by that name. Others are ignored.
   * Throws the interface's validation error naming each that was given twice.
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
    if (repeated.size > 0) throw givenTwice([...repeated]);
    return values;
  }
}

const givenTwice = (names: string[]) =>
  new ApiError('validation', `Give these parameters once: ${names.join(', ')}.`, {
    details: names.map((field) => ({ field, message: 'must be given once' })),
    reason: 'repeated_parameter',
  });
