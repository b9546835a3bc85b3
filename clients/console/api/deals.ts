// Deals of the API. Only variant C shows their currency, so they are read in its names and renamed to those of variant A.
import { asJson, type Json } from './json.ts';

/** Whether the target is the list of deals or one of them. */
export const readsDeals = (method: string, target: string): boolean =>
  method === 'GET' && /^\/v1(?:\/me)?\/deals(?:\/[^/?]+)?(?:\?|$)/.test(target);

export function dealOf(opportunity: Json): Json {
  const {
    contact,
    stage: name,
    stage_id: id,
    probability,
    assigned_to: owner,
    products,
    ...deal
  } = opportunity;
  const { name: contactName, email, company } = asJson(contact);
  const isEmpty = Array.isArray(products) && products.length === 0;
  return {
    ...deal,
    stage: { id, name, probability },
    ...{ contact_name: contactName, contact_email: email, company, owner_id: owner },
    ...(!isEmpty && { products }),
  };
}
