// URLs to which links in emails lead after Auth has verified them.

/** Whether a link may lead to this URL. */
export type RedirectRule = (url: URL) => boolean;

/** For stacks on this machine: only pages on this machine. */
export const isLoopback: RedirectRule = ({ hostname }) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** The URL if it is http(s) and the rule allows it, else the site's URL, as in Auth. */
export function redirectTo(link: string | undefined, siteUrl: string, isAllowed: RedirectRule): string {
  if (!link || !/^https?:/i.test(link) || !URL.canParse(link)) return siteUrl;
  return isAllowed(new URL(link)) ? link : siteUrl;
}

type Values = Record<string, string | number>;

const encode = (values: Values) =>
  new URLSearchParams(
    Object.entries({ ...values, sb: '' })
      .map(([key, value]): [string, string] => [key, `${value}`])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The URL with the values in its fragment. */
export const withFragment = (url: string, values: Values): string => `${new URL(`#${encode(values)}`, url)}`;

/** The URL with the values as query parameters. */
export function withQuery(url: string, values: Record<string, string>): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(values)) target.searchParams.set(name, value);
  return target.href;
}
