// Who may use the operations on accounts at CRMs.

export const reads = { method: 'get', scopes: ['read:settings', 'manage:workspace'] } as const;
export const writes = { scopes: ['manage:workspace'] } as const;

/** What operations that read or write records through the account require too, for their description. */
export const RIGHTS = 'Also requires `read:leads`, `write:leads`, `read:deals` and `write:deals`.';
