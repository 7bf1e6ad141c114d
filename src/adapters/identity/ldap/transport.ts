import { EventEmitter, once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { LdapSettings } from '../../../core/config/ldap-settings.ts';
import type { LdapServer } from '../../../core/config/ldap-types.ts';
import { readConfiguredFile } from '../../system/secret-file.ts';
import { DirectoryFault, messageOf } from './fault.ts';
import { LDAP_LIMITS } from './limits.ts';
import { requestStartTls } from './start-tls.ts';

/**
 * Opens a connection to a server. It is encrypted if the settings require it: the certificate must be valid for the host of
 * the URL. `signal` destroys the connection whenever it fires, with its reason.
 *
 * @throws DirectoryFault if the server cannot be reached, or encryption fails.
 */
export async function openTransport(
  server: LdapServer,
  settings: LdapSettings,
  signal: AbortSignal,
): Promise<Socket> {
  const authorities = authoritiesOf(settings);
  signal.throwIfAborted();
  const plain = connect({ host: server.host, port: server.port, noDelay: true });
  const destroy = (): void => void plain.destroy(asError(signal.reason));
  signal.addEventListener('abort', destroy);
  plain.once('close', () => signal.removeEventListener('abort', destroy));
  // The functions that wait get the error too. Without a listener, an error between them would end the process.
  plain.on('error', () => undefined);
  try {
    await once(plain, 'connect', { signal });
    if (!server.isLdaps && !settings.isStartTls) return guardListeners(plain);
    if (!server.isLdaps) await requestStartTls(plain, signal);
    return guardListeners(await encrypt(plain, server, authorities, signal));
  } catch (error) {
    plain.destroy();
    throw new DirectoryFault(messageOf(signal.aborted ? signal.reason : error), true);
  }
}

function authoritiesOf({ caFile }: LdapSettings): Buffer | null {
  if (caFile === '') return null;
  try {
    return readConfiguredFile('auth.ldap.ca_file', caFile);
  } catch (error) {
    throw new DirectoryFault(messageOf(error), false);
  }
}

async function encrypt(
  plain: Socket,
  { host }: LdapServer,
  authorities: Buffer | null,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTls({
    socket: plain,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authorities === null ? {} : { ca: authorities }),
    minVersion: 'TLSv1.2',
    // Also with NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment.
    rejectUnauthorized: true,
  });
  socket.on('error', () => undefined);
  const destroy = (): void => void socket.destroy(asError(signal.reason));
  signal.addEventListener('abort', destroy);
  socket.once('close', () => signal.removeEventListener('abort', destroy));
  await once(socket, 'secureConnect', { signal });
  return socket;
}

/**
 * Protects the process from the connection: an error that nothing handles would end it. The library removes the listeners
 * of errors, also its own when the connection ends, and its reader of data throws for some malformed messages. Ends the
 * connection if it receives too much.
 */
function guardListeners(socket: Socket): Socket {
  let received = 0;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    const emit = (): boolean => EventEmitter.prototype.emit.call(socket, event, ...values);
    if (event === 'error' && socket.listenerCount('error') === 0) return false;
    if (event !== 'data') return emit();
    const [chunk] = values;
    received += Buffer.isBuffer(chunk) ? chunk.length : 0;
    if (received > LDAP_LIMITS.receivedBytes) {
      socket.destroy(new Error(`the server sent more than ${LDAP_LIMITS.receivedBytes} bytes`));
      return true;
    }
    try {
      return emit();
    } catch (error) {
      socket.destroy(asError(error));
      return true;
    }
  };
  return socket;
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
