// Records a span for each operation at a payment provider.
import { inSpan, isRecording } from '../../platform/tracing/scope.ts';
import type { ConnectedProvider, PaymentProvider } from '../providers/provider.ts';

/** Methods of a provider that do not call it. */
const LOCAL = new Set<string | symbol>([
  'verifyDelivery',
  'mayBeFromProvider',
  'readEvents',
] satisfies (keyof ConnectedProvider)[]);

/** Returns a provider whose operations have spans such as `asaas charges.create`. Unchanged if no spans are recorded. */
export function traceOperations<P extends PaymentProvider>(provider: P): P {
  if (!isRecording()) return provider;
  return traceMethods(provider, `${provider.name} `);
}

/** The methods of the provider and of its ports. */
function traceMethods<T extends object>(target: T, prefix: string): T {
  return new Proxy(target, {
    get(_, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value === 'function' && !LOCAL.has(member)) {
        return (...values: unknown[]) =>
          inSpan('client', `${prefix}${String(member)}`, () => Reflect.apply(value, target, values));
      }
      const isPort = typeof value === 'object' && value !== null;
      return isPort ? traceMethods(value, `${prefix}${String(member)}.`) : value;
    },
  });
}
