// Lists the orders available to a tenant: one item for each route. Does not query any provider.
import type { Context } from '../../platform/access/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { MAX_BOLETO_AMOUNT_MINOR } from '../artifacts/boleto.ts';
import { hasDueTerms, providerNamed, providerNames } from '../provider-registry/registry.ts';
import { methodsByRegion, type PaymentMethod } from '../providers/charge-port.ts';
import type { OrderKind } from '../providers/order-report.ts';
import type { RoutingProblem } from '../providers/routing.ts';
import type { CapabilitiesResponse } from './schema.ts';

type Capability = CapabilitiesResponse['data'][number];

/** A row of `app.payment_capabilities`. */
interface CapabilityRow extends Pick<RoutingProblem, 'problem'> {
  kind: OrderKind;
  region: string;
  currency: string;
  method: PaymentMethod | null;
  /** The provider that accepts the order, or the first one that could. */
  provider: string | null;
  /** What the account at the provider is missing for these orders, as its adapter says it. */
  missing: string | null;
  settings: Record<string, unknown>;
  min_amount: number | null;
  max_amount: number | null;
  /** Taxes that a document would lack today. Null for other kinds. */
  tax_faults: { member: string }[] | null;
}

const selectCapabilities = (sql: Sql): Statement<{ capability: CapabilityRow }> =>
  sql`select to_jsonb(c) as capability from app.payment_capabilities(${JSON.stringify(methodsByRegion)}::jsonb) as c`;

export async function getCapabilities({ read }: Context): Promise<CapabilitiesResponse> {
  const rows = await read(selectCapabilities);
  return { data: rows.map(({ capability }) => serializeCapability(capability)) };
}

function serializeCapability(row: CapabilityRow): Capability {
  const { kind, region, currency, method, problem, min_amount, max_amount } = row;
  return {
    kind,
    region,
    currency,
    method,
    available: problem === null,
    reason: reasonOf(row),
    requires: requirementsOf(row),
    due_terms: DUE_METHODS.includes(method) && hasDueTerms(row.provider),
    refunds: kind !== 'charge' ? 'none' : isBoleto(method) ? 'full' : 'partial',
    min_amount,
    max_amount: isBoleto(method) ? Math.min(max_amount ?? Infinity, MAX_BOLETO_AMOUNT_MINOR) : max_amount,
  };
}

const PROVIDER_NAME = new RegExp(providerNames.join('|'), 'gi');

/** Placar chooses the provider of an order, so reasons do not name it. */
function reasonOf({ problem, missing }: CapabilityRow): string | null {
  if (problem === null) return null;
  if (problem === 'not_ready') return 'The provider account does not work at the moment.';
  if (missing === null) return 'No provider account is connected for this.';
  return missing.replace(PROVIDER_NAME, 'the provider');
}

/** Fields that a provider needs and Placar's own rules do not. */
function requirementsOf({ kind, provider, settings, tax_faults: taxFaults }: CapabilityRow): string[] {
  if (kind === 'charge') return [...(providerNamed(provider)?.requires ?? [])];
  const address =
    kind === 'tax_document' && settings.customer_address === 'required'
      ? ['line1', 'number', 'district', 'postal_code'].map((member) => `customer.address.${member}`)
      : [];
  return [...address, ...(taxFaults ?? []).map(({ member }) => `tax_document.taxes.${member}`)];
}

const DUE_METHODS: readonly (string | null)[] = ['pix', 'boleto', 'bolepix'];

/** A boleto is refunded in full by a page; a bolepix may have been paid as one. */
const isBoleto = (method: PaymentMethod | null): boolean => method === 'boleto' || method === 'bolepix';
