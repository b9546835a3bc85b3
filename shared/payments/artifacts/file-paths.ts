// Where files are kept, and the addresses that open them.

// Where the files of an issued tax document are kept.
export const xmlPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.xml`;
export const pdfPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.pdf`;

/** Public address of a payer's file, which opens without authentication. */
export const fileUrl = (functionsUrl: string, token: string, name: string): string =>
  `${functionsUrl}/payments/files/${token}/${name}`;
