// Recipients at Wise: one for equal details, found again by these details, since Wise keeps no id of ours with them.
import { InvalidOrder, ProviderRejected } from '../provider.ts';
import { type VendorAnswer, WholeNumber } from '../vendor-http.ts';
import { faultsOf, refusalOf, type WiseClient } from './client.ts';
import { type Payee, pathOf, requestMemberFor } from './recipient-fields.ts';
import { addFault, chooseForm, detailsOf, type FilledForm, fillForm } from './recipient-form.ts';
import { formsSchema, type Recipient, recipientSchema, recipientsSchema } from './wire.ts';

/** Fields that depend on each other's values are three deep at most; this ends a form that never comes to rest. */
const MAX_ROUNDS = 6;
/** Wise's largest page. */
const PAGE_SIZE = 20;
/** A thousand recipients of a currency. Among more than that an older one is not found, and made again. */
const MAX_PAGES = 50;

/** The recipient to pay, made if need be. Throws `InvalidOrder` with every member that Wise's form lacks. */
export async function recipientFor(
  wise: WiseClient,
  { payee, currency, quoteId }: { payee: Payee; currency: string; quoteId: string },
  signal: AbortSignal,
): Promise<{ id: string; type: string }> {
  const form = await completeForm(wise, { payee, currency, quoteId }, signal);
  const draft = draftOf(wise, form, payee, currency);
  const same = async () => (await listRecipients(wise, currency, signal)).filter((one) => isSame(one, draft));
  const [known] = oldestFirst(await same());
  if (known) return { id: known.id, type: form.type };

  const made = await wise.ask(
    recipientSchema,
    { method: 'POST', path: '/accounts', body: draft },
    signal,
    refusalOfDraft(form.type),
  );
  // Somebody else may have made the same one meanwhile: the oldest stays, so that both agree.
  const oldest = oldestFirst(await same())[0] ?? made;
  if (oldest.id !== made.id) await wise.call({ method: 'DELETE', path: `/accounts/${made.id}` }, signal);
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

/** The form that fits best, asked again as long as a value that is given may ask for more. */
async function completeForm(
  wise: WiseClient,
  { payee, currency, quoteId }: { payee: Payee; currency: string; quoteId: string },
  signal: AbortSignal,
): Promise<FilledForm> {
  const path = `/quotes/${quoteId}/account-requirements`;
  const headers = { 'Accept-Minor-Version': '1' };
  const forms = await wise.ask(formsSchema, { method: 'GET', path, headers }, signal);
  let form = chooseForm(forms, payee, currency);
  if (!form) throw new ProviderRejected(`Wise pays no bank accounts in ${currency} from this account.`);
  const { type } = form;
  let told = '';
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const telling = JSON.stringify(form.refreshing.map((key) => [key, form?.values.get(key)]));
    if (form.refreshing.length === 0 || telling === told) break;
    told = telling;
    const body = draftOf(wise, form, payee, currency);
    const asked = await wise.ask(
      formsSchema,
      { method: 'POST', path, headers, body },
      signal,
      refusalOfDraft(type),
    );
    const again = asked.find((one) => one.type === type);
    if (!again) break;
    form = fillForm(again, payee, currency);
  }
  if (form.faults.length > 0) throw new InvalidOrder(form.faults);
  return form;
}

/** What Wise finds wrong with a draft: members of the request, where it names fields of the form. */
function refusalOfDraft(type: string): (answer: VendorAnswer) => Error {
  return (answer) => {
    const faults: { field: string; message: string }[] = [];
    for (const { path, message, code } of faultsOf(answer.body)) {
      const key = path?.replace(/^details[./]/, '').replaceAll('/', '.');
      if (!key || ['profile', 'currency', 'type', 'quote'].includes(key)) return refusalOf(answer);
      addFault(faults, pathOf(type, key), `is refused by Wise: ${message || code}`);
    }
    return faults.length > 0 ? new InvalidOrder(faults) : refusalOf(answer);
  };
}

async function listRecipients(wise: WiseClient, currency: string, signal: AbortSignal): Promise<Recipient[]> {
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
    const { content, seekPositionForNext: next } = await wise.ask(
      recipientsSchema,
      { method: 'GET', path: `/accounts?${query}` },
      signal,
    );
    found.push(...content);
    if (content.length === 0 || !next || next === '0' || next === position) break;
    position = next;
  }
  return found;
}

const oldestFirst = (recipients: Recipient[]): Recipient[] =>
  recipients.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));

/** Whether a recipient is whom the draft describes: what makes out the account must be shown and equal, the rest equal as far as shown. */
function isSame(recipient: Recipient, draft: Draft): boolean {
  if (recipient.active === false) return false;
  if (alike(recipient.currency) !== alike(draft.currency)) return false;
  // `sort_code` of a draft is shown as `SortCode`.
  if (alike(recipient.type) !== alike(draft.type)) return false;
  if (alike(recipient.name?.fullName ?? recipient.accountHolderName) !== alike(draft.accountHolderName))
    return false;
  const shown = flat(recipient.details ?? {});
  const legal =
    recipient.legalEntityType && (recipient.legalEntityType === 'PERSON' ? 'PRIVATE' : 'BUSINESS');
  if (legal) shown.set('legaltype', alike(legal));
  const wanted = flat(draft.details);
  return [...wanted].every(([key, value]) => {
    const there = shown.get(key);
    if (there !== undefined) return there === value;
    const { path, identifies } = requestMemberFor(draft.type, key) ?? {};
    // An IBAN names its bank: Wise need not keep another name of it.
    return identifies === undefined || (wanted.has('iban') && path?.endsWith('.bic'));
  });
}

const alike = (text: string | undefined): string =>
  (text ?? '').replace(/[^\p{L}\p{N}@]/gu, '').toUpperCase();

/** Values by key in lower case, those of objects inside as `address.city`; without what is empty. */
function flat(details: Record<string, unknown>, before = ''): Map<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(details)) {
    const name = `${before}${key}`.toLowerCase();
    if (typeof value === 'object' && value !== null)
      for (const [inner, text] of flat({ ...value }, `${name}.`)) values.set(inner, text);
    else if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      values.set(name, alike(String(value)));
  }
  return values;
}
