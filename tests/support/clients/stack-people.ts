// The console on the web for people who sign in with the emulator of Auth and the real functions.
import type postgres from 'postgres';
import { expect, inject } from 'vitest';
import { createPerson, PASSWORD, type Person } from '../persons.ts';
import { Browser, type SignInConsole, serveOnWeb } from './served-sign-in.ts';

const { auth_url: url, publishable_key: publishableKey, people } = inject('stack');

/** The person of the demo with this first name. */
export function demoPerson(name: string) {
  const person = people.find(({ email }) => email.startsWith(name));
  if (!person) throw new Error(`The demo has no ${name}.`);
  return person;
}

/** Serves the console of the stack on the web. */
export const serveStack = (): Promise<SignInConsole> => serveOnWeb({ url }, { publishableKey });

/** A browser in which the person has signed in, by default to a console that only this browser uses. */
export async function signedInAs(
  { email, password }: { email: string; password: string },
  served?: SignInConsole,
): Promise<Browser> {
  const browser = new Browser(served ?? (await serveStack()));
  expect(await browser.signIn(email, password)).toMatchObject({ status: 303, location: '/' });
  return browser;
}

/** A person of the tenant with this access, and a browser in which that person has signed in. */
export async function newPerson(
  sql: postgres.Sql,
  tenantId: string,
  access: string,
  { name = 'Ana Souza', served }: { name?: string; served?: SignInConsole } = {},
): Promise<{ person: Person; browser: Browser }> {
  const person = await createPerson(sql, tenantId, { role: 'viewer', access, name });
  return { person, browser: await signedInAs({ email: person.email, password: PASSWORD }, served) };
}

/** The page that a form leads to. Fails if the form is shown again. */
export async function follow(browser: Browser, answer: { status: number; location: string; text: string }) {
  expect([answer.status, answer.status === 303 ? '' : textOf(answer.text)]).toEqual([303, '']);
  return await browser.get(answer.location);
}

/** The text of a page without its tags. */
export const textOf = (page: string): string =>
  page
    .replace(/[\s\S]*<main/, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
