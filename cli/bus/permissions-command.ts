import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { accountLines } from '../../src/core/bus-identity/server-accounts.ts';
import { WIRE_LIMITS } from '../../src/core/wire/limits.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

interface PermissionFlags {
  readonly out: string;
  readonly worker: readonly string[];
  readonly url: readonly string[];
  readonly ca?: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const URL_FORM = /^(nats|tls):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?\/?$/;

/** Collects the values of an option that may be repeated. */
const each =
  (form: RegExp, rule: string) =>
  (given: string, before: readonly string[]): readonly string[] => {
    if (!form.test(given)) throw new InvalidArgumentError(rule);
    return before.includes(given) ? before : [...before, given];
  };

/**
 * Prints the accounts, users and permissions that an external NATS server needs for `bus.auth.enabled`, and writes the
 * keys of the service and of each worker to a folder (docs/bus-identity.md#external-nats). Existing keys are kept, so the
 * command is repeated with all workers when one is added.
 */
async function permissions({ out, worker: names, url: urls, ca }: PermissionFlags): Promise<void> {
  const { keyIn, workerCredentialIn } =
    await import('../../src/adapters/nats/authority/credential-folder.ts');
  const folder = resolve(out);
  if (names.length > 0 && urls.length === 0)
    throw new CommandError(EXIT.usage, '--url: name at least one address of the NATS server for the workers');
  try {
    const caText = ca === undefined ? null : await readFile(ca, 'utf8');
    const requests = await keyIn(folder, 'service-requests');
    const streams = await keyIn(folder, 'service-streams');
    const workers = [];
    for (const name of names) workers.push(await workerCredentialIn(folder, { name, urls, ca: caText }));
    const lines = [
      '# Accounts, users and permissions for Callsheet. Include this text in the configuration of each NATS server of the',
      '# bus, next to its own jetstream and tls blocks, and reload the servers.',
      `max_payload: ${WIRE_LIMITS.leaseReplyText}`,
      ...accountLines({
        accounts: { bus: 'CALLSHEET_BUS', streams: 'CALLSHEET_STREAMS' },
        service: { requests: requests.publicKey, streams: streams.publicKey },
        workers: workers.map(({ name, id, publicKey }) => ({ name, id, key: publicKey })),
        anonymousPassword: null,
      }),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    process.stderr.write(
      [
        'The service needs:',
        '  bus.auth.enabled: true',
        `  bus.nkey_file: ${requests.path}`,
        `  bus.streams.nkey_file: ${streams.path}`,
        ...workers.map(({ name, path }) => `Worker ${name} needs worker.credentials_file: ${path}`),
        '',
      ].join('\n'),
    );
  } catch (error) {
    throw new CommandError(EXIT.failed, error instanceof Error ? error.message : String(error));
  }
}

/** `callsheet bus` */
export const busCommand = (): Command =>
  new Command('bus')
    .description('Configure the bus.')
    .helpCommand(false)
    .addCommand(
      new Command('permissions')
        .description(
          'Print the accounts and permissions of an external NATS server, and create the keys for them.',
        )
        .requiredOption('--out <folder>', 'folder of the keys; existing keys are kept')
        .option(
          '--worker <name>',
          'a worker to create a credential for; may be repeated',
          each(NAME, 'It must be 1 to 128 letters, digits, dots, underscores and hyphens.'),
          [],
        )
        .option(
          '--url <url>',
          'address of a NATS server, for the credentials of workers; may be repeated',
          each(URL_FORM, 'It must be nats://HOST:PORT or tls://HOST:PORT.'),
          [],
        )
        .option(
          '--ca <file>',
          'PEM file with the certificate authority of the NATS servers, for the credentials',
        )
        .action(permissions),
    );
