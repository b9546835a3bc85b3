/** A stored time in UTC with milliseconds. */
export const millisecondTime = (stored: string): string => new Date(stored).toISOString();
