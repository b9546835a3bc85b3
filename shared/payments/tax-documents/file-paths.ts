// Where the files of an issued tax document are kept.
export const xmlPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.xml`;
export const pdfPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.pdf`;
