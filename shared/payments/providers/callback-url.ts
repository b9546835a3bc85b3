// Recognizes our webhooks at providers.

/**
 * Whether two callback URLs belong to the same account. Its id is unique, so a webhook with another base URL is ours as well: the
 * functions' URL changed, or the tenant moved to another project.
 */
export const isSameCallback = (one: string, other: string): boolean =>
  one === other || pathOf(one) === pathOf(other);

const pathOf = (url: string): string => url.slice(Math.max(0, url.lastIndexOf('/callbacks/providers/')));
