// `placar completion`: prints a script that completes commands and flags in bash, zsh and fish.
import { Argument, type Command } from 'commander';

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a completion script. bash: eval "$(placar completion bash)" in ~/.bashrc')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish') => console.log(SCRIPTS[shell](wordsOf(program))));
}

/** The possible continuations of each command line: `` -> `sync`, ..., `invoices` -> `create`, ... */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const words = new Map<string, string[]>();
  const globals = flagsOf(program);
  const visit = (command: Command, path: string): void => {
    const own = command === program ? [] : flagsOf(command);
    words.set(path, [...command.commands.map((one) => one.name()), ...own, ...globals, '--help']);
    for (const one of command.commands) visit(one, `${path} ${one.name()}`.trim());
  };
  visit(program, '');
  return words;
}

const flagsOf = (command: Command): string[] =>
  command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));

/** Joins the words before the cursor that are neither flags nor files: the command. */
const bash = (words: Words): string => `_placar() {
  local word path="" cur="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "\${path:+$path }$word" in
${[...words.keys()]
  .filter((path) => path !== '')
  .map((path) => `      "${path}") path="${path}" ;;`)
  .join('\n')}
    esac
  done
  case "$path" in
${[...words].map(([path, next]) => `    "${path}") COMPREPLY=($(compgen -W "${next.join(' ')}" -- "$cur")) ;;`).join('\n')}
  esac
}
complete -o default -F _placar placar`;

const SCRIPTS: Record<'bash' | 'zsh' | 'fish', (words: Words) => string> = {
  bash,
  // Shells whose ~/.zshrc does not load completions have no compdef, which bashcompinit needs.
  zsh: (words) => `autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash(words)}`,
  fish: (words) =>
    [...words]
      .flatMap(([path, next]) => {
        const condition = path === '' ? '__fish_use_subcommand' : fishCondition(path);
        return next.map((word) =>
          word.startsWith('--')
            ? `complete -c placar -n '${condition}' -l ${word.slice(2)}`
            : `complete -c placar -f -n '${condition}' -a ${word}`,
        );
      })
      .join('\n'),
};

const fishCondition = (path: string): string =>
  path
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
