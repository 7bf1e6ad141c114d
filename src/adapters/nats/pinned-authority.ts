import { createHash } from 'node:crypto';
import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { flag, messageParser, optional, record } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';

interface TlsGreeting {
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
}

const parseGreeting = messageParser(
  record<TlsGreeting>({ tls_required: optional(flag), tls_available: optional(flag) }),
  { length: WIRE_LIMITS.statusText, nesting: WIRE_LIMITS.nesting },
);

const GREETING = /^INFO (\{.*\})\s*\r\n/;
const CHAIN_MAX = 10;

/** The server is not the one that the fingerprint belongs to. */
export class ForeignServerError extends Error {
  override readonly name = 'ForeignServerError';
}

/**
 * Returns the PEM text of the certificate with this fingerprint (SHA-256 in base64url) in the certificates of a NATS server.
 * Reads them and sends nothing but the start of the encryption. The caller connects with that certificate as the only
 * authority, which checks the rest: signatures, times, and the name of the host.
 *
 * @throws ForeignServerError if the server has no such certificate, or no TLS; another Error if it cannot be reached.
 */
export async function pinnedAuthority(
  { host, port }: { readonly host: string; readonly port: number },
  fingerprint: string,
  timeoutMs: number,
): Promise<string> {
  const socket = createConnection({ host, port });
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    await greeted(socket);
    const chain = await certificatesOf(socket, host);
    const found = chain.find((raw) => createHash('sha256').update(raw).digest('base64url') === fingerprint);
    if (found === undefined)
      throw new ForeignServerError(
        'it does not have the certificate that the token names: it is another service, or someone else answers',
      );
    return pemOf(found);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Resolves when the server has announced TLS. */
function greeted(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('it has closed the connection')));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const match = GREETING.exec(received);
      if (match === null) {
        if (received.length > WIRE_LIMITS.statusText)
          reject(new ForeignServerError('it is not a NATS server'));
        return;
      }
      const greeting = parseGreeting(match[1] ?? '');
      const hasTls = greeting.ok && (greeting.value.tls_required ?? greeting.value.tls_available ?? false);
      socket.removeAllListeners('data');
      if (hasTls) resolve();
      else reject(new ForeignServerError('it has no TLS, so it is not the one of the token'));
    });
  });
}

/** Returns the certificates that the server sends, in DER form. They are not checked. */
function certificatesOf(socket: Socket, host: string): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // The chain is only read here: nothing is sent, and a connection that checks it follows.
      rejectUnauthorized: false,
    });
    secure.on('error', reject);
    socket.on('close', () => reject(new Error('it has closed the connection')));
    secure.on('secureConnect', () => {
      const chain: Buffer[] = [];
      let next: DetailedPeerCertificate | undefined = secure.getPeerCertificate(true);
      while (next?.raw !== undefined && chain.length < CHAIN_MAX) {
        chain.push(next.raw);
        const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
        next = issuer === next ? undefined : issuer;
      }
      secure.destroy();
      resolve(chain);
    });
  });
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
