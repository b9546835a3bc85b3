// The three variants by id.
import type { NamingVariant } from '../../platform/access/context.ts';
import { a } from './a.ts';
import { b } from './b.ts';
import { c } from './c.ts';
import type { Variant } from './variant.ts';

export const variants: Readonly<Record<NamingVariant, Variant>> = { a, b, c };
