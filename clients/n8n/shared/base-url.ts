// Where the API is.

/** The URL of the functions. Credentials have the URL of the project, with or without `/functions/v1`. */
export const functionsUrl = (url: string): string =>
  `${url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/functions\/v1$/, '')}/functions/v1`;

/** The same as an expression of a credential. `fields` is what has the values of its fields. */
export const functionsUrlOf = (fields: '$self' | '$credentials'): string =>
  `={{${fields}.url.trim().replace(/\\/+$/, "").replace(/\\/functions\\/v1$/, "")}}/functions/v1`;
