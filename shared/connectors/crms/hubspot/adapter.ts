// The adapter of HubSpot CRM: contacts are leads; calls, meetings, emails and tasks are activities.
import type { Crm } from '../crm.ts';
import { connect } from './connection.ts';
import { isGenuine, readHints } from './deliveries.ts';

export const hubspotCrm: Crm = { connect, isGenuine, readHints };
