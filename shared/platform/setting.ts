// Kinds of settings: how the text of an environment variable is read. By hand, because every function loads this at its start
// and a schema library takes as long to load as all else that a start loads together.

/** How the text of a setting is read, and what holds when there is none. */
export interface Setting<T> {
  /** Throws an `Error` that says what is expected, and never repeats the text. */
  parse(text: string): T;
  /** Gives the value of an absent setting; absent where it must be there. */
  absent?: () => T;
  /** Whether empty says something else than absent. */
  mayBeEmpty?: true;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
/** The values of settings by their names. */
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

/** Text of so many characters. */
export const text = ({ minLength = 1 } = {}): Setting<string> => ({
  parse(given) {
    if (given.length < minLength) throw new Error(`expected at least ${minLength} characters`);
    return given;
  },
});

/** Text that matches; empty counts as given where the pattern takes it. */
export const matching = (pattern: RegExp, expected: string): Setting<string> => ({
  parse(given) {
    if (!pattern.test(given)) throw new Error(`expected ${expected}`);
    return given;
  },
  ...(pattern.test('') && { mayBeEmpty: true }),
});

/** An address of one of these schemes. */
export const url = (...schemes: string[]): Setting<string> => ({
  parse(given) {
    const scheme = URL.canParse(given) ? new URL(given).protocol.slice(0, -1) : undefined;
    if (scheme === undefined || !schemes.includes(scheme))
      throw new Error(
        `expected an address beginning with ${schemes.map((name) => `${name}://`).join(' or ')}`,
      );
    return given;
  },
});

/** An http or https address, without slashes at its end. */
export const httpUrl: Setting<string> = {
  parse: (given) => url('http', 'https').parse(given).replace(/\/+$/, ''),
};

export const number = (min: number): Setting<number> => ({
  parse(given) {
    const value = given.trim() === '' ? Number.NaN : Number(given);
    if (!Number.isFinite(value) || value < min) throw new Error(`expected a number of at least ${min}`);
    return value;
  },
});

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): Setting<number> => ({
  parse(given) {
    const value = Number(given);
    if (!/^\d+$/.test(given) || value < min || value > max)
      throw new Error(`expected a whole number from ${min} to ${max}`);
    return value;
  },
});

export const oneOf = <const T extends string>(...values: T[]): Setting<T> => ({
  parse(given) {
    const value = values.find((one) => one === given);
    if (value === undefined) throw new Error(`expected ${values.join(' or ')}`);
    return value;
  },
});

export const boolean: Setting<boolean> = { parse: (given) => oneOf('true', 'false').parse(given) === 'true' };

/** Whole seconds, separated by commas. */
export const secondsList: Setting<number[]> = {
  parse(given) {
    if (!/^\d{1,7}(,\d{1,7})*$/.test(given)) throw new Error('expected seconds, separated by commas');
    return given.split(',').map(Number);
  },
};
