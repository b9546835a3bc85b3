// Results of messages.
import { VERSION } from '../../shared/platform/version.ts';
import { META_SERVER_INFO } from './protocol.ts';

export const SERVER_INFO = { name: 'placar', title: 'Placar', version: VERSION };

/** A result in the form of the revision 2026-07-28. */
export const completed = (result: object): object => ({
  ...result,
  resultType: 'complete',
  _meta: { [META_SERVER_INFO]: { name: SERVER_INFO.name, version: SERVER_INFO.version } },
});
