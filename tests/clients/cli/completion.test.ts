// Completion scripts, as a shell uses them.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, runCli, useCli } from './run-cli.ts';

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
    const file = join(newFolder(), 'placar');
    writeFileSync(file, await script(shell));
    const { error, status } = spawnSync(shell, ['-n', file]);
    // Not every machine has these shells.
    if (!error) expect(status, shell).toBe(0);
  }
});

const hasZsh = spawnSync('zsh', ['--version']).error === undefined;

test.skipIf(!hasZsh)(
  'zsh completes commands and flags, also if nothing has loaded its completions',
  async () => {
    // Completion functions of bash run with this option in zsh.
    const call = `setopt ksh_arrays; COMP_WORDS=(placar --json invoices create --am); COMP_CWORD=4; _placar; print -l -- "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', `${await script('zsh')}\n${call}`], {
      env: { PATH: process.env.PATH, HOME: newFolder() },
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^--amount$/m), '']);
    expect(stdout).not.toMatch(/^sync$/m);
  },
);

test('suggests a command or flag for an unknown one', async () => {
  expect((await runCli(['invoice'], { env: {} })).stderr).toContain('Did you mean invoices?');
  expect((await runCli(['sync', 'a.csv', '--dryrun'], { env: {} })).stderr).toContain(
    'Did you mean --dry-run?',
  );
  const help = await runCli(['help', 'invoice'], { env: {} });
  expect([help.code, help.stderr]).toEqual([2, expect.stringContaining('Did you mean invoices?')]);
  expect((await runCli(['help', 'sync'], { env: {} })).stdout).toContain('Usage: placar sync');
});
