import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';

const HOST = '127.0.0.1';
const GREETING_END = '\r\n';
const GREETING_BYTES_MAX = 64 * 1024;

/** By the text of the authority: thousands of connections share one. */
const contexts = new Map<string, SecureContext>();

/** Opens a socket whose bytes are read into `buffer`; `received` gets their number. */
export const openPlain = (port: number, buffer: Buffer, received: (bytes: number) => void): Socket =>
  connect({
    host: HOST,
    port,
    noDelay: true,
    onread: {
      buffer,
      callback: (bytes: number): boolean => {
        received(bytes);
        return true;
      },
    },
  });

/**
 * Opens a connection with TLS to a NATS server, which sends its greeting before the encryption. The server's certificate
 * must be of this authority and name this machine.
 */
export async function openSecured(
  port: number,
  ca: string,
): Promise<{ readonly socket: TLSSocket; readonly greeting: string }> {
  const plain = connect({ host: HOST, port, noDelay: true });
  try {
    const greeting = await greetingOf(plain);
    const socket = connectTls({ socket: plain, host: HOST, secureContext: contextOf(ca) });
    const closed = (): void => {
      socket.destroy(new Error('the NATS server closed the connection'));
    };
    plain.once('close', closed);
    await once(socket, 'secureConnect');
    plain.off('close', closed);
    return { socket, greeting };
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

function contextOf(ca: string): SecureContext {
  const known = contexts.get(ca) ?? createSecureContext({ ca });
  contexts.set(ca, known);
  return known;
}

function greetingOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const closed = (): void => reject(new Error('the NATS server closed the connection'));
    const received = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (text.length > GREETING_BYTES_MAX) reject(new Error('this is not a NATS server'));
      if (!text.endsWith(GREETING_END)) return;
      socket.off('data', received).off('error', reject).off('close', closed);
      resolve(text);
    };
    socket.on('data', received).once('error', reject).once('close', closed);
  });
}
