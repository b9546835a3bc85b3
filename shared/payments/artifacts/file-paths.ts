// Storage paths and public URLs of files.

// Storage paths of the files of an issued tax document.
export const xmlPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.xml`;
export const pdfPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.pdf`;

/** Public URL of a payer's file. Requires no authentication. */
export const fileUrl = (functionsUrl: string, token: string, name: string): string =>
  `${functionsUrl}/payments/files/${token}/${name}`;

/** Public URL at which a payer pays an invoice. Requires no authentication. */
export const payLinkUrl = (functionsUrl: string, token: string): string =>
  `${functionsUrl}/payments/pay/${token}`;
