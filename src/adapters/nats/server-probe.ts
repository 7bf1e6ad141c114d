import { createConnection, createServer } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { finite, flag, messageParser, optional, record, text } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { accessOptions } from './access.ts';
import { SERVER_LIMITS } from './limits.ts';
import { dialAddress, type ListenAddress, type ServerList } from './server-address.ts';

/** Greeting of a NATS server. */
interface ServerGreeting {
  readonly server_name?: string;
  readonly version?: string;
  readonly port?: number;
  readonly jetstream?: boolean;
  /** Set if a client must have credentials, or use TLS, before the server answers it. */
  readonly auth_required?: boolean;
  readonly tls_required?: boolean;
}

const parseGreeting = messageParser(
  record<ServerGreeting>({
    server_name: optional(text(WIRE_LIMITS.name)),
    version: optional(text(WIRE_LIMITS.name)),
    port: optional(finite),
    jetstream: optional(flag),
    auth_required: optional(flag),
    tls_required: optional(flag),
  }),
  { length: WIRE_LIMITS.statusText, nesting: WIRE_LIMITS.nesting },
);

const GREETING = /^INFO (\{.*\})\s*\r\n/;
const PONG = 'PONG\r\n';

/**
 * Returns the greeting of the NATS server at the address, once it has also answered a ping, if it answers clients without
 * credentials; null if there is no server.
 */
export function probeServer(address: ListenAddress): Promise<ServerGreeting | null> {
  return new Promise((resolve) => {
    const socket = createConnection(dialAddress(address));
    let received = '';
    let greeting: ServerGreeting | null = null;
    const finish = (result: ServerGreeting | null): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(SERVER_LIMITS.probeTimeoutMs, () => finish(null));
    socket.on('error', () => finish(null));
    socket.on('close', () => finish(null));
    socket.on('data', (chunk: string) => {
      received += chunk;
      const match = GREETING.exec(received);
      if (greeting === null && match !== null) {
        const parsed = parseGreeting(match[1] ?? '');
        if (!parsed.ok) return finish(null);
        greeting = parsed.value;
        if (greeting.tls_required === true || greeting.auth_required === true) return finish(greeting);
        socket.write('CONNECT {"verbose":false,"name":"callsheet probe"}\r\nPING\r\n');
      }
      if (greeting !== null && received.includes(PONG)) finish(greeting);
      if (received.length > WIRE_LIMITS.statusText) finish(null);
      return undefined;
    });
  });
}

/** Reports whether the server accepts a connection with this access, and answers on it. */
export async function canConnect(servers: ServerList): Promise<boolean> {
  try {
    const nc = await connect({
      servers: [...servers.servers],
      name: 'callsheet probe',
      reconnect: false,
      timeout: SERVER_LIMITS.probeTimeoutMs,
      noAsyncTraces: true,
      ...accessOptions(servers),
    });
    await nc.close();
    return true;
  } catch {
    // It does not answer yet, or is another server: the caller asks again until its deadline.
    return false;
  }
}

/** Returns null if this process can listen at the address; otherwise the system's error code, such as EADDRINUSE. */
export function listenFault(address: ListenAddress): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: address.host, port: address.port, exclusive: true }, () => {
      server.close(() => resolve(null));
    });
  });
}
