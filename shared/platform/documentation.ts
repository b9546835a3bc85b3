// Addresses of the published documentation.

/** The published site. Identifiers of problem types also begin with it. */
export const SITE = 'https://placar.dev';

/** A page of the site, without its extension. */
export type DocumentationPage = 'authentication' | 'sandbox';

/** The address of a page. `site` is the deployment's own copy, if it has one. */
export const pageAddress = (page: DocumentationPage, site: string = SITE): string => `${site}/${page}`;
