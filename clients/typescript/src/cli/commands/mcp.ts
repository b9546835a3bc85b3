// `placar mcp`: the MCP server over stdin and stdout, for hosts that cannot use client credentials.
import type { Command } from 'commander';
import type { Run } from '../main.ts';

export function mcpCommand(parent: Command, run: Run): void {
  parent
    .command('mcp')
    .description('Serve the MCP server of the deployment over stdin and stdout')
    .option(
      '--scopes <scopes>',
      'scopes of the token, separated by spaces (default: all read: scopes of the client)',
    )
    .action(({ scopes }: { scopes?: string }) =>
      run(async (context) => {
        const { forwardMessages } = await import('../mcp/forward-messages.ts');
        return await forwardMessages(context, scopes);
      }),
    );
}
