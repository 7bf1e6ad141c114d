import type { Socket } from 'node:net';
import { BerReader, ProtocolOperation } from 'ldapts';
import { LDAP_LIMITS } from './limits.ts';

/** Extended request 1 with the object identifier of StartTLS (RFC 4511, 4.14). */
const REQUEST = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);

const SEQUENCE = 0x30;

/**
 * Asks the server for StartTLS, and returns when it agrees. The socket then belongs to the TLS handshake: every byte that
 * was received before it is part of the one answer. Otherwise another host on the path could add an answer to a later
 * request, which the client would take for one that was encrypted.
 *
 * @throws Error if the server refuses, or sends anything but one answer.
 */
export async function requestStartTls(socket: Socket, signal: AbortSignal): Promise<void> {
  const answer = readAnswer(socket, signal);
  socket.write(REQUEST);
  const code = resultCode(await answer);
  if (code !== 0) throw new Error(`the server refuses StartTLS (result code ${code})`);
}

/** Returns the first message from the server. Nothing reads from the socket afterwards. */
function readAnswer(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (error: Error | null): void => {
      socket.off('data', onData).off('error', settle).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      socket.pause();
      if (error === null) resolve(received);
      else reject(error);
    };
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const length = messageLength(received);
      if (length === null) return;
      if (length > LDAP_LIMITS.startTlsBytes)
        settle(new Error('the answer to StartTLS is not an LDAP message'));
      else if (received.length > length)
        settle(new Error('the server sent data between StartTLS and encryption'));
      else if (received.length === length) settle(null);
    };
    const onClose = (): void =>
      settle(new Error('the server closed the connection after the request for StartTLS'));
    const onAbort = (): void => settle(new Error('the request for StartTLS was ended'));
    socket.on('data', onData).on('error', settle).on('close', onClose);
    signal.addEventListener('abort', onAbort);
  });
}

/** Returns the length of the message that starts here, null if its header is incomplete. Infinity: it is not one. */
function messageLength(bytes: Buffer): number | null {
  const [tag, first] = bytes;
  if (tag !== undefined && tag !== SEQUENCE) return Infinity;
  if (first === undefined) return null;
  if (first < 0x80) return 2 + first;
  const count = first - 0x80;
  if (count < 1 || count > 4) return Infinity;
  return bytes.length < 2 + count ? null : 2 + count + bytes.readUIntBE(2, count);
}

function resultCode(message: Buffer): number {
  const reader = new BerReader(message);
  reader.readSequence();
  const id = reader.readInt();
  const operation = reader.readSequence();
  const code = reader.readEnumeration();
  if (id !== 1 || operation !== ProtocolOperation.LDAP_RES_EXTENSION || code === null)
    throw new Error('the answer to StartTLS is not one to an extended request');
  return code;
}
