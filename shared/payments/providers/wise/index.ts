// Wise: international payouts. Its fake: `local/providers/wise/`.
import type { ProviderDefinition } from '../definition.ts';

/**
 * Public keys that verify Wise's deliveries in production and in its sandbox
 * (docs.wise.com/guides/developer/webhooks/event-handling).
 */
const publicKeys = {
  production: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvO8vXV+JksBzZAY6GhSO
XdoTCfhXaaiZ+qAbtaDBiu2AGkGVpmEygFmWP4Li9m5+Ni85BhVvZOodM9epgW3F
bA5Q1SexvAF1PPjX4JpMstak/QhAgl1qMSqEevL8cmUeTgcMuVWCJmlge9h7B1CS
D4rtlimGZozG39rUBDg6Qt2K+P4wBfLblL0k4C4YUdLnpGYEDIth+i8XsRpFlogx
CAFyH9+knYsDbR43UJ9shtc42Ybd40Afihj8KnYKXzchyQ42aC8aZ/h5hyZ28yVy
Oj3Vos0VdBIs/gAyJ/4yyQFCXYte64I7ssrlbGRaco4nKF3HmaNhxwyKyJafz19e
HwIDAQAB
-----END PUBLIC KEY-----`,
  staging: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwpb91cEYuyJNQepZAVfP
ZIlPZfNUefH+n6w9SW3fykqKu938cR7WadQv87oF2VuT+fDt7kqeRziTmPSUhqPU
ys/V2Q1rlfJuXbE+Gga37t7zwd0egQ+KyOEHQOpcTwKmtZ81ieGHynAQzsn1We3j
wt760MsCPJ7GMT141ByQM+yW1Bx+4SG3IGjXWyqOWrcXsxAvIXkpUD/jK/L958Cg
nZEgz0BSEh0QxYLITnW1lLokSx/dTianWPFEhMC9BgijempgNXHNfcVirg1lPSyg
z7KqoKUN0oHqWLr2U1A+7kqrl6O2nx3CKs1bj1hToT1+p4kcMoHXA7kA+VBLUpEs
VwIDAQAB
-----END PUBLIC KEY-----`,
} as const;

export const wise: ProviderDefinition = {
  name: 'wise',
  title: 'Wise',
  addresses: {
    production: { WISE_URL: 'https://api.wise.com', WISE_PUBLIC_KEY: publicKeys.production },
    staging: { WISE_URL: 'https://api.wise-sandbox.com', WISE_PUBLIC_KEY: publicKeys.staging },
  },
  fileHosts: [],
  keyMember: 'token',
  settings: [{ name: 'profile_id', as: 'integer' }, { name: 'source_currency' }],
  extras: [],
  routes: [
    {
      kind: 'payout',
      region: '*',
      currency: '*',
      method: null,
      preference: 1,
      minAmount: null,
      maxAmount: null,
    },
  ],
  requires: [],
  hasDueTerms: false,
  pagesExpire: false,
  load: async () => (await import('./provider.ts')).createWiseProvider,
};
