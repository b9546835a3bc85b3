// Scripts written for Upstash may start with `#!lua flags=allow-key-locking`, which only Upstash knows.
import { createHash } from 'node:crypto';
import type { Command } from './engine.ts';

const UPSTASH_SHEBANG = /^#!lua[^\n]*\ballow-key-locking\b[^\n]*/;

/** Rewrites script commands so that Redis accepts them; remembers which SHA-1 stands for which script. */
export class ScriptTranslator {
  /** The SHA-1 that the client computed over its own text, and the one of the text Redis was given. */
  readonly #known = new Map<string, string>();

  /** The command to send instead. `EVALSHA` of a script never seen goes through, for Redis to answer NOSCRIPT. */
  toEngine(command: Command): Command {
    const [name, first, ...rest] = command;
    if (!first) return command;
    switch (name.toString().toUpperCase()) {
      case 'EVAL':
      case 'EVAL_RO':
        return [name, this.#strip(first), ...rest];
      case 'EVALSHA':
      case 'EVALSHA_RO':
        return [name, this.#translate(first), ...rest];
      case 'SCRIPT':
        return [name, first, ...this.#subcommand(first.toString().toUpperCase(), rest)];
      default:
        return command;
    }
  }

  #subcommand(subcommand: string, args: Buffer[]): Buffer[] {
    if (subcommand === 'LOAD') return args.map((script) => this.#strip(script));
    if (subcommand === 'EXISTS') return args.map((sha) => this.#translate(sha));
    return args;
  }

  #strip(script: Buffer): Buffer {
    const text = script.toString();
    if (!UPSTASH_SHEBANG.test(text)) return script;
    // The line stays, empty, so that the line numbers in Lua's errors are the author's.
    const stripped = Buffer.from(text.replace(UPSTASH_SHEBANG, ''));
    this.#known.set(sha1(script), sha1(stripped));
    return stripped;
  }

  #translate(sha: Buffer): Buffer {
    const known = this.#known.get(sha.toString().toLowerCase());
    return known ? Buffer.from(known) : sha;
  }
}

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex');
