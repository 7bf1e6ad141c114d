import type { Command } from 'commander';
import { storeCredential, storedCredential } from '../credentials/stored-credentials.ts';
import { optionsOf, serviceCommand } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { RestClient } from '../client/rest-client.ts';
import { targetOf, type TargetOptions } from '../client/target.ts';
import { processTerminal } from '../terminal/terminal.ts';

interface LogoutOptions extends TargetOptions {
  readonly local?: boolean;
}

/** Revokes the key that `callsheet login` has created, and removes it from this machine. */
async function logout(_options: object, command: Command): Promise<void> {
  const options = optionsOf<LogoutOptions>(command);
  const { local = false } = options;
  const terminal = processTerminal();
  const { url } = targetOf(options);
  const stored = storedCredential(url);
  if (stored === null) throw new CommandError(EXIT.notFound, `no API key is stored for ${url}`);
  const { key, keyId } = stored;
  const isRevoked =
    keyId !== null && !local && (await revoke(new RestClient(url, { key, source: 'stored' }), keyId));
  storeCredential(url, null);
  const rest = isRevoked ? 'its API key is revoked' : 'its API key was not revoked';
  terminal.err(`Signed out of ${url}: ${rest}.\n`);
}

/** Returns true if the key is no longer valid: it is revoked now, or was already. */
async function revoke(client: RestClient, id: string): Promise<true> {
  try {
    await client.call('delete', '/api-keys/{id}', { path: { id } });
  } catch (error) {
    const isGone =
      error instanceof CommandError &&
      (error.exitCode === EXIT.forbidden || error.exitCode === EXIT.notFound);
    if (!isGone) throw error;
  }
  return true;
}

/** `callsheet logout` */
export const logoutCommand = (): Command =>
  serviceCommand('logout', 'Sign out: revoke the API key of callsheet login and remove it from this machine.')
    .option('--local', 'only remove the key from this machine, for example if the server cannot be reached')
    .action(logout);
