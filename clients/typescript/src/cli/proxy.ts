// Sends the requests of the command line through the proxy of HTTPS_PROXY or HTTP_PROXY: Node 20 has no setting for this. A bundle of its
// own, loaded only if one of them is set.
import { EnvHttpProxyAgent, install, setGlobalDispatcher } from 'undici';

/** Replaces the global `fetch`. Addresses in NO_PROXY and of this machine are called directly. */
export function useProxy({ no_proxy: lower, NO_PROXY: upper = '' }: NodeJS.ProcessEnv): void {
  const given = (lower ?? upper).trim();
  // `*`, all addresses, works only without others.
  const noProxy = given === '*' ? given : [given, 'localhost', '127.0.0.1', '[::1]'].join(',');
  setGlobalDispatcher(new EnvHttpProxyAgent({ noProxy }));
  install();
}
