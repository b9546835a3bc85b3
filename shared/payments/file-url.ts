/** Public address of a payer's file, which opens without authentication. */
export const fileUrl = (functionsUrl: string, token: string, name: string): string =>
  `${functionsUrl}/payments/files/${token}/${name}`;
