// Parsers of environment variables. They do not use a schema library, because every function loads this module on startup and the
// library would double the loading time.
import { decodePercent } from './percent-encoding.ts';

/** Parser and default of a setting. */
export interface Setting<T> {
  /** Throws an `Error` that states the rule and never contains the text. */
  parse(text: string): T;
  /** Returns the default. Undefined if the setting is required. */
  absent?: () => T;
  /** Whether an empty value is parsed instead of being treated as absent. */
  mayBeEmpty?: true;
  /** Whether a malformed value prevents the start although the setting has a default. Otherwise the default is used. */
  isStrict?: true;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
/** The values of settings by name. */
export type ValuesOf<S extends Settings> = {
  [Name in keyof S as undefined extends ValueOf<S[Name]> ? never : Name]: ValueOf<S[Name]>;
} & { [Name in keyof S as undefined extends ValueOf<S[Name]> ? Name : never]?: ValueOf<S[Name]> };

export const optional = <T>(setting: Setting<T>): Setting<T | undefined> => ({
  ...setting,
  absent: () => undefined,
});

export const withDefault = <T>(setting: Setting<T>, value: T): Setting<T> => ({
  ...setting,
  absent: () => value,
});

/** For settings whose default must not replace a malformed value: requests or keys would go to the wrong place. */
export const strict = <T>(setting: Setting<T>): Setting<T> => ({ ...setting, isStrict: true });

/** Text with a minimum length in characters. */
export const text = ({ minLength = 1 } = {}): Setting<string> => ({
  parse(given) {
    if (given.length < minLength) throw new Error(`must have at least ${minLength} characters`);
    return given;
  },
});

/** Text that matches a pattern. If the pattern accepts empty text, an empty value is used instead of the default. */
export const matching = (pattern: RegExp, expected: string): Setting<string> => ({
  parse(given) {
    if (!pattern.test(given)) throw new Error(`must be ${expected}`);
    return given;
  },
  ...(pattern.test('') && { mayBeEmpty: true }),
});

/** A URL with one of these schemes. */
export const url = (...schemes: string[]): Setting<string> => ({
  parse(given) {
    const scheme = URL.canParse(given) ? new URL(given).protocol.slice(0, -1) : undefined;
    if (scheme === undefined || !schemes.includes(scheme))
      throw new Error(`must be a URL that starts with ${schemes.map((name) => `${name}://`).join(' or ')}`);
    return given;
  },
});

/** An http or https URL. Trailing slashes are removed. */
export const httpUrl: Setting<string> = {
  parse: (given) => url('http', 'https').parse(given).replace(/\/+$/, ''),
};

export const number = (min: number, max = Number.POSITIVE_INFINITY): Setting<number> => ({
  parse(given) {
    const value = given.trim() === '' ? Number.NaN : Number(given);
    if (Number.isFinite(value) && value >= min && value <= max) return value;
    throw new Error(
      `must be a number ${Number.isFinite(max) ? `from ${min} to ${max}` : `of at least ${min}`}`,
    );
  },
});

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): Setting<number> => ({
  parse(given) {
    const value = Number(given);
    if (!/^\d+$/.test(given) || value < min || value > max)
      throw new Error(`must be an integer from ${min} to ${max}`);
    return value;
  },
});

export const oneOf = <const T extends string>(...values: T[]): Setting<T> => ({
  parse(given) {
    const value = values.find((one) => one === given);
    if (value === undefined) throw new Error(`must be ${values.join(' or ')}`);
    return value;
  },
});

export const boolean: Setting<boolean> = { parse: (given) => oneOf('true', 'false').parse(given) === 'true' };

/** Whole seconds, separated by commas. */
export const secondsList: Setting<number[]> = {
  parse(given) {
    if (!/^\d{1,7}(,\d{1,7})*$/.test(given)) throw new Error('must be whole seconds, separated by commas');
    return given.split(',').map(Number);
  },
};

/** Origins of web pages, separated by commas, such as `https://app.example.com`. */
export const origins: Setting<string[]> = {
  parse(given) {
    const all = given.split(',').map((origin) => origin.trim());
    if (all.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)) return all;
    throw new Error('must be origins, separated by commas, such as https://app.example.com');
  },
};

/** `name=value` pairs, separated by commas, with percent-encoded values. Names and decoded values match the patterns. */
export const pairs = (name: RegExp, value: RegExp): Setting<[string, string][]> => ({
  parse(given) {
    return given.split(',').map((pair) => {
      const [, key = '', encoded = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      const decoded = decodePercent(encoded);
      if (name.test(key) && decoded !== undefined && value.test(decoded)) return [key, decoded];
      throw new Error('must be name=value pairs, separated by commas, with percent-encoded values');
    });
  },
});
