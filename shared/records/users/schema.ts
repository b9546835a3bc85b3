// What bodies about users hold, in canonical names.
import { z } from 'zod';
import { email, text } from '../../platform/validation.ts';
import { name, reference } from '../fields.ts';

const role = z.enum(['admin', 'manager', 'sales_rep', 'viewer'], {
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be one of admin, manager, sales_rep'),
});
const phone = text({ maxLength: 50 }).nullable().optional();

export const newUser = z
  .object({
    name,
    email: email.describe('Unique in the workspace, without case. The invitation goes there.'),
    role,
    team_id: reference,
    phone,
  })
  .meta({ id: 'NewUser' });

export const userChange = z
  .object({ name: name.optional(), phone, role: role.optional(), team_id: reference })
  .meta({ id: 'UserChange' });

export type NewUser = z.output<typeof newUser>;
export type UserChange = z.output<typeof userChange>;
