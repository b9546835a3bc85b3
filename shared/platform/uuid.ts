/** Format of all record ids. Accepts all UUID versions. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (value: string): boolean => UUID.test(value);
