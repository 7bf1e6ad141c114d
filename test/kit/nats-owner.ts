import { startManagedServer } from '../../src/adapters/nats/managed-server.ts';

/**
 * A process that owns a managed NATS server, for tests that kill it. Prints each event as a line of JSON. Arguments:
 * folder, port.
 */
const [folder = '', port = ''] = process.argv.slice(2);
const say = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);
await startManagedServer(
  { folder, listen: { host: '127.0.0.1', port: Number(port) }, binaryPath: '', authentication: null },
  say,
);
setInterval(() => undefined, 60_000);
