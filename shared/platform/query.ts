// Parameters of a query string or form. All our parameters have a single value, so repeated ones are rejected.
import { ApiError } from './errors.ts';
import { decodePercent } from './percent-encoding.ts';

export class Query {
  readonly #sent: URLSearchParams;
  readonly #text: string;

  constructor(sent: string) {
    this.#sent = new URLSearchParams(sent);
    this.#text = sent;
  }

  /**
   * Returns the parameters with these names. A function maps the name that was sent to the name to use, or to undefined to ignore it.
   * Throws `validation` with the names of repeated parameters, and of those that are not percent-encoded UTF-8.
   */
  take(names: readonly string[] | ((sent: string) => string | undefined)): Map<string, string> {
    const nameOf =
      typeof names === 'function' ? names : (sent: string) => (names.includes(sent) ? sent : undefined);
    const values = new Map<string, string>();
    const repeated = new Set<string>();
    const malformed = this.#malformed();
    const undecodable = new Set<string>();
    for (const [sent, value] of this.#sent) {
      const name = nameOf(sent);
      if (name === undefined) continue;
      if (malformed.has(sent)) undecodable.add(sent);
      if (values.has(name)) repeated.add(sent);
      else values.set(name, value);
    }
    if (undecodable.size > 0) throw undecodableParameters([...undecodable]);
    if (repeated.size > 0) throw repeatedParameters([...repeated]);
    return values;
  }

  /** Names of the parameters whose values `URLSearchParams` replaces or keeps as they are, because they cannot be decoded. */
  #malformed(): Set<string> {
    const names = new Set<string>();
    if (!this.#text.includes('%')) return names;
    for (const pair of this.#text.split('&')) {
      if (decodePercent(pair) === undefined) names.add(new URLSearchParams(pair).keys().next().value ?? '');
    }
    return names;
  }
}

const undecodableParameters = (names: string[]) =>
  new ApiError('validation', 'Percent-encode these parameters as UTF-8.', {
    details: names.map((field) => ({ field, message: 'is not percent-encoded UTF-8' })),
    reason: 'malformed_parameter',
  });

const repeatedParameters = (names: string[]) =>
  new ApiError('validation', `Send each of these parameters only once: ${names.join(', ')}.`, {
    details: names.map((field) => ({ field, message: 'must be sent only once' })),
    reason: 'repeated_parameter',
  });
