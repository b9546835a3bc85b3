// Scripts for Upstash may start with `#!lua flags=allow-key-locking`, which Redis does not support.
import { createHash } from 'node:crypto';
import type { Command } from './engine.ts';

const UPSTASH_SHEBANG = /^#!lua[^\n]*\ballow-key-locking\b[^\n]*/;

/**
 * Rewrites script commands so that Redis accepts them, and maps the SHA-1 of original scripts to that of rewritten ones.
 * `EVALSHA` of an unknown script passes unchanged, so that Redis responds with NOSCRIPT.
 */
export function createScriptTranslator(): (command: Command) => Command {
  /** SHA-1 of the client's text to SHA-1 of the text that Redis received. */
  const known = new Map<string, string>();

  function withoutShebang(script: Buffer): Buffer {
    const text = script.toString();
    if (!UPSTASH_SHEBANG.test(text)) return script;
    // The line is emptied but kept, so that line numbers in errors match the script.
    const stripped = Buffer.from(text.replace(UPSTASH_SHEBANG, ''));
    known.set(sha1(script), sha1(stripped));
    return stripped;
  }

  return (command) => {
    const [name, script, ...rest] = command;
    if (!script) return command;
    switch (name.toString().toUpperCase()) {
      case 'EVAL':
        return [name, withoutShebang(script), ...rest];
      case 'EVALSHA':
        return [name, Buffer.from(known.get(script.toString()) ?? script), ...rest];
      default:
        return command;
    }
  };
}

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex');
