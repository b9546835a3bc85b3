// Completion scripts, as a shell uses them.
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runCli, useCli } from './run-cli.ts';

useCli();

const script = async (shell: string) => (await runCli(['completion', shell], { env: {} })).stdout;

test.each([
  [
    ['placar', ''],
    ['sync', 'invoices', 'completion', '--json', '--help'],
  ],
  [['placar', 'inv'], ['invoices']],
  [
    ['placar', 'invoices', ''],
    ['create', 'pay', 'list'],
  ],
  [['placar', 'sync', 'file.csv', '--dr'], ['--dry-run']],
  [['placar', '--json', 'events', 'ta'], ['tail']],
])('bash: %j', async (words, offered) => {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const call = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _placar; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const replies = execFileSync('bash', ['-c', `${await script('bash')}\n${call}`], { encoding: 'utf8' });
  expect(replies.trim().split('\n')).toEqual(expect.arrayContaining(offered));
  if (words.at(-1) !== '') expect(replies.trim().split('\n')).toEqual(offered);
});

test('prints completions for zsh and fish', async () => {
  expect(await script('zsh')).toContain('bashcompinit');
  expect(await script('fish')).toMatch(/^complete -c placar -f -n '__fish_use_subcommand' -a sync$/m);
  for (const shell of ['zsh', 'fish']) {
    const { error, status } = spawnSync(shell, ['-n'], { input: await script(shell) });
    // Not every machine has these shells.
    if (!error) expect(status, shell).toBe(0);
  }
});

test('suggests a command or flag for an unknown one', async () => {
  expect((await runCli(['invoice'], { env: {} })).stderr).toContain('Did you mean invoices?');
  expect((await runCli(['sync', 'a.csv', '--dryrun'], { env: {} })).stderr).toContain(
    'Did you mean --dry-run?',
  );
  const help = await runCli(['help', 'invoice'], { env: {} });
  expect([help.code, help.stderr]).toEqual([2, expect.stringContaining('Did you mean invoices?')]);
  expect((await runCli(['help', 'sync'], { env: {} })).stdout).toContain('Usage: placar sync');
});
