// Scripts written for Upstash may start with `#!lua flags=allow-key-locking`, which only Upstash knows.
import { createHash } from 'node:crypto';
import type { Command } from './engine.ts';

const UPSTASH_SHEBANG = /^#!lua[^\n]*\ballow-key-locking\b[^\n]*/;

/**
 * Rewrites script commands so that Redis accepts them; remembers which SHA-1 stands for which script. `EVALSHA` of a script
 * never seen goes through, for Redis to answer NOSCRIPT.
 */
export function createScriptTranslator(): (command: Command) => Command {
  /** The SHA-1 that the client computed over its own text, and the one of the text Redis was given. */
  const known = new Map<string, string>();

  function withoutShebang(script: Buffer): Buffer {
    const text = script.toString();
    if (!UPSTASH_SHEBANG.test(text)) return script;
    // The line stays, empty, so that the line numbers in Lua's errors are the author's.
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
