// Finds or creates recipients at Wise. Wise stores no id of ours with a recipient, so recipients are matched by their details.
import { InvalidOrder, ProviderRejected } from '../errors.ts';
import { type ProviderResponse, WholeNumber } from '../provider-http.ts';
import { faultsOf, type WiseClient, wiseRejection } from './client.ts';
import { type Payee, pathOf, requestMemberFor } from './recipient-fields.ts';
import { addFault, chooseForm, detailsOf, type FilledForm, fillForm } from './recipient-form.ts';
import { formsSchema, type Recipient, recipientSchema, recipientsSchema } from './wire.ts';

/** Dependent fields nest at most three levels deep. The limit stops a form that keeps changing. */
const MAX_ROUNDS = 6;
/** Wise's maximum. */
const PAGE_SIZE = 20;
/** 1000 recipients per currency, newest first. Older recipients are not found and are created again. */
const MAX_PAGES = 50;

/** Finds or creates the recipient. Throws `InvalidOrder` with every member that is missing or invalid in Wise's form. */
export async function recipientFor(
  wise: WiseClient,
  { payee, currency, quoteId }: { payee: Payee; currency: string; quoteId: string },
): Promise<{ id: string; type: string }> {
  const form = await completeForm(wise, { payee, currency, quoteId });
  const draft = draftOf(wise, form, payee, currency);
  const same = async () => (await listRecipients(wise, currency)).filter((one) => isSame(one, draft));
  const [known] = oldestFirst(await same());
  if (known) return { id: known.id, type: form.type };

  const request = { method: 'POST', path: '/accounts', body: draft } as const;
  const created = await wise.ask(recipientSchema, request, recipientError(form.type));
  // A concurrent request may have created the same recipient. Both requests keep the oldest one.
  const oldest = oldestFirst(await same())[0] ?? created;
  if (oldest.id !== created.id) await wise.call({ method: 'DELETE', path: `/accounts/${created.id}` });
  return { id: oldest.id, type: form.type };
}

interface Draft {
  currency: string;
  type: string;
  profile: WholeNumber;
  accountHolderName: string;
  details: Record<string, unknown>;
}

function draftOf(wise: WiseClient, form: FilledForm, payee: Payee, currency: string): Draft {
  const values = new Map(form.values);
  values.delete('accountHolderName');
  return {
    currency,
    type: form.type,
    profile: new WholeNumber(wise.profileId),
    accountHolderName: form.values.get('accountHolderName') ?? payee.name,
    details: detailsOf(values),
  };
}

/** Fills in the form that fits best, and requests it again while its values may add fields. */
async function completeForm(
  wise: WiseClient,
  { payee, currency, quoteId }: { payee: Payee; currency: string; quoteId: string },
): Promise<FilledForm> {
  const path = `/quotes/${quoteId}/account-requirements`;
  const headers = { 'Accept-Minor-Version': '1' };
  const forms = await wise.ask(formsSchema, { method: 'GET', path, headers });
  let form = chooseForm(forms, payee, currency);
  if (!form) throw new ProviderRejected(`This Wise account cannot pay to bank accounts in ${currency}.`);
  const { type } = form;
  let previousValues = '';
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const values = JSON.stringify(form.refreshing.map((key) => [key, form?.values.get(key)]));
    if (form.refreshing.length === 0 || values === previousValues) break;
    previousValues = values;
    const body = draftOf(wise, form, payee, currency);
    const request = { method: 'POST', path, headers, body } as const;
    const refreshedForms = await wise.ask(formsSchema, request, recipientError(type));
    const refreshed = refreshedForms.find((candidate) => candidate.type === type);
    if (!refreshed) break;
    form = fillForm(refreshed, payee, currency);
  }
  if (form.faults.length > 0) throw new InvalidOrder(form.faults);
  return form;
}

/** Maps Wise's errors to members of the request, or to one `ProviderRejected` if an error names no field of the form. */
function recipientError(type: string): (answer: ProviderResponse) => Error {
  return (answer) => {
    const faults: { field: string; message: string }[] = [];
    for (const { path, message, code } of faultsOf(answer.body)) {
      const key = path?.replace(/^details[./]/, '').replaceAll('/', '.');
      if (!key || ['profile', 'currency', 'type', 'quote'].includes(key)) return wiseRejection(answer);
      addFault(faults, pathOf(type, key), `was rejected by Wise: ${message || code}`);
    }
    return faults.length > 0 ? new InvalidOrder(faults) : wiseRejection(answer);
  };
}

async function listRecipients(wise: WiseClient, currency: string): Promise<Recipient[]> {
  const found: Recipient[] = [];
  let position: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      profileId: wise.profileId,
      currency,
      active: 'true',
      size: String(PAGE_SIZE),
      sort: 'id,desc',
      ...(position !== undefined && { seekPosition: position }),
    });
    const request = { method: 'GET', path: `/accounts?${query}` } as const;
    const { content, seekPositionForNext: next } = await wise.ask(recipientsSchema, request);
    found.push(...content);
    if (content.length === 0 || !next || next === '0' || next === position) break;
    position = next;
  }
  return found;
}

const oldestFirst = (recipients: Recipient[]): Recipient[] =>
  recipients.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));

/**
 * Whether a recipient matches the draft. Members that identify the account or bank must be present and equal, others must be equal if
 * present.
 */
function isSame(recipient: Recipient, draft: Draft): boolean {
  if (recipient.active === false) return false;
  if (normalize(recipient.currency) !== normalize(draft.currency)) return false;
  // Wise returns the type `sort_code` as `SortCode`.
  if (normalize(recipient.type) !== normalize(draft.type)) return false;
  if (
    normalize(recipient.name?.fullName ?? recipient.accountHolderName) !== normalize(draft.accountHolderName)
  )
    return false;
  const shown = flat(recipient.details ?? {});
  const legal =
    recipient.legalEntityType && (recipient.legalEntityType === 'PERSON' ? 'PRIVATE' : 'BUSINESS');
  if (legal) shown.set('legaltype', normalize(legal));
  const wanted = flat(draft.details);
  return [...wanted].every(([key, value]) => {
    const shownValue = shown.get(key);
    if (shownValue !== undefined) return shownValue === value;
    const { path, identifies } = requestMemberFor(draft.type, key) ?? {};
    // An IBAN identifies the bank, so Wise may omit the BIC.
    return identifies === undefined || (wanted.has('iban') && path?.endsWith('.bic'));
  });
}

const normalize = (text: string | undefined): string =>
  (text ?? '').replace(/[^\p{L}\p{N}@]/gu, '').toUpperCase();

/** Non-empty values by lower-case key. Nested values have keys such as `address.city`. */
function flat(details: Record<string, unknown>, prefix = ''): Map<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(details)) {
    const name = `${prefix}${key}`.toLowerCase();
    if (typeof value === 'object' && value !== null)
      for (const [inner, text] of flat({ ...value }, `${name}.`)) values.set(inner, text);
    else if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      values.set(name, normalize(String(value)));
  }
  return values;
}
