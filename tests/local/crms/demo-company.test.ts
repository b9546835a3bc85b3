// The demo company that `npm start -- --providers` adds to each CRM.
import { expect, onTestFinished, test } from 'vitest';
import { addDemoCompany, startCrms } from '../../../local/crms/start.ts';
import { people } from '../../../scripts/demo/people.ts';

test('the demo company has the same people, contacts and deals at each CRM', async () => {
  const stops: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => void (await Promise.all(stops.map((stop) => stop()))));
  const crms = await startCrms(undefined, (stop) => stops.push(stop));
  expect(Object.keys(crms.settings)).toEqual([
    'RD_STATION_URL',
    'RD_STATION_TOKEN_URL',
    'PIPEDRIVE_URL',
    'HUBSPOT_URL',
  ]);
  const credentials = await addDemoCompany(crms);
  const [rd = ''] = await crms.rdStation.control.accounts();
  const [pd = ''] = await crms.pipedrive.control.accounts();
  const [hs = ''] = await crms.hubspot.control.accounts();
  const rdStation = await crms.rdStation.control.account(rd);
  const pipedrive = await crms.pipedrive.control.account(pd);
  const hubspot = await crms.hubspot.control.account(hs);
  const emails = people.slice(0, 6).map(({ email }) => email);
  expect(rdStation.rows.users.map(({ email }) => email)).toEqual(emails);
  expect(pipedrive.rows.users.map(({ email }) => email)).toEqual(emails);
  expect(hubspot.owners.map(({ email }) => email)).toEqual(emails);
  const sizes = [rdStation.rows.contacts.length, pipedrive.rows.persons.length, hubspot.rows.contacts.length];
  expect(sizes).toEqual([40, 40, 40]);
  expect([rdStation.rows.deals.length, pipedrive.rows.deals.length, hubspot.rows.deals.length]).toEqual([
    24, 24, 24,
  ]);
  const known = pipedrive.rows.persons.flatMap(({ emails: list }) =>
    (list as { value: string }[]).map(({ value }) => value),
  );
  expect(pipedrive.rows.persons.filter(({ emails: list }) => (list as unknown[]).length === 0)).toHaveLength(
    4,
  );
  expect(known.length - new Set(known).size).toBe(1);
  expect(credentials.pipedrive).toEqual({ domain: pipedrive.domain, api_token: pipedrive.apiToken });
  expect(credentials.hubspot).toEqual({ access_token: hubspot.token, client_secret: hubspot.clientSecret });
  expect(credentials.rd_station.client_id).toBe(rdStation.clientId);
});
