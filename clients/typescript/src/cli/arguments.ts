// Parsers for flag values.
import { InvalidArgumentError } from 'commander';

/** A whole number of at least 1. */
export const countOf = (flag: string) => (text: string) => {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError(`${flag} must be a whole number of at least 1.`);
};

/** A whole number of at least 0. */
export const amountOf = (flag: string) => (text: string) => {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`${flag} must be a whole number in minor units: 12345 is 123.45.`);
};

/** Parses `name=value` and adds it to the pairs collected so far. */
export const pairOf = (flag: string) => (text: string, pairs: Record<string, string> | undefined) => {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...pairs, [name]: value };
  throw new InvalidArgumentError(`${flag} must have the form name=value.`);
};
