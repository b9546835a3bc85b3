/** Routes of the account: the user, its profiles, rates and currencies. */
import { refusal } from './errors.ts';
import { rateOf } from './pricing.ts';
import { isVersion, profileIn, type WiseRoutes } from './requests.ts';
import type { WiseServices } from './services.ts';
import type { Account, Profile } from './state.ts';
import { zonedTime } from './times.ts';

const namesOf = ({ name }: Profile) => {
  const [firstName = name, ...rest] = name.split(' ');
  return { firstName, lastName: rest.join(' ') };
};

/** The `/v1` format. */
const renderOldProfile = (profile: Profile) => ({
  id: profile.id,
  type: profile.type.toLowerCase(),
  details:
    profile.type === 'PERSONAL'
      ? { ...namesOf(profile), dateOfBirth: '1980-01-01', phoneNumber: '+15550100', primaryAddress: 1 }
      : { name: profile.name, registrationNumber: '12345', companyType: 'LIMITED', primaryAddress: 2 },
});

const renderProfile = ({ user }: Account, profile: Profile) => ({
  type: profile.type,
  id: profile.id,
  publicId: `p-${profile.id}`,
  userId: user,
  address: {
    id: profile.id + 1,
    addressFirstLine: '1 Main Street',
    city: 'New York',
    countryIso2Code: 'US',
    countryIso3Code: 'usa',
    postCode: '10001',
    stateCode: 'NY',
  },
  email: 'finance@demo.example',
  createdAt: '2024-01-01T00:00:00',
  updatedAt: '2024-01-01T00:00:00',
  obfuscated: false,
  currentState: 'VISIBLE',
  ...(profile.type === 'PERSONAL'
    ? { ...namesOf(profile), fullName: profile.name }
    : { businessName: profile.name, fullName: profile.name, companyType: 'LIMITED' }),
});

export function addProfileRoutes(routes: WiseRoutes, services: WiseServices): void {
  const versions = ['v1', 'v2'];
  routes.on('GET', versions, '/profiles', (c) => {
    const account = c.get('account');
    return c.json(
      account.profiles.map((profile) =>
        isVersion(c, 'v1') ? renderOldProfile(profile) : renderProfile(account, profile),
      ),
    );
  });
  routes.on('GET', versions, '/profiles/:profile', (c) => {
    const profile = profileIn(c);
    return c.json(isVersion(c, 'v1') ? renderOldProfile(profile) : renderProfile(c.get('account'), profile));
  });
  routes.on('GET', versions, '/me', (c) => {
    const { user, profiles } = c.get('account');
    const personal = profiles.find(({ type }) => type === 'PERSONAL');
    return c.json({ id: user, name: personal?.name ?? null, email: 'finance@demo.example', active: true });
  });
  routes.on('GET', versions, '/currencies', (c) =>
    c.json(
      Object.keys(c.get('account').options.rates).map((code) => ({
        code,
        symbol: code,
        name: code,
        supportsDecimals: code !== 'JPY',
        countryKeywords: [],
      })),
    ),
  );
  routes.on('GET', versions, '/rates', (c) => {
    const { options } = c.get('account');
    const { source, target } = c.req.query();
    const sources = source ? [source] : Object.keys(options.rates);
    const targets = target ? [target] : Object.keys(options.rates);
    const time = zonedTime(services.now());
    return c.json(
      sources.flatMap((from) =>
        targets.flatMap((to) => {
          const rate = rateOf(options, from, to);
          if (rate === undefined) {
            throw refusal(400, 'CurrencyCode', "That wasn't a valid ISO-4217 currency code.", 'source');
          }
          return from === to && sources.length > 1 ? [] : [{ rate, source: from, target: to, time }];
        }),
      ),
    );
  });
}
