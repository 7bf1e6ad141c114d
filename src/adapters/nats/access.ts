import { readFileSync, statSync } from 'node:fs';
import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { BusAccess, BusTls, SecretSource } from '../../core/config/bus-access.ts';
import type { ServerList } from './server-address.ts';

/** Secrets, credentials and certificates are short; a larger file is not one of them. */
const FILE_BYTES_MAX = 1024 * 1024;

type AccessOptions = Pick<NodeConnectionOptions, 'tls' | 'user' | 'pass' | 'token' | 'authenticator'>;

/**
 * Returns the options of a connection to the servers, with the present content of the configured files, so that
 * passwords and certificates can be replaced without a restart.
 *
 * @throws Error that names the key and the path if a file cannot be used.
 */
export function accessOptions({ isTls, user, password, token, access }: ServerList): AccessOptions {
  const tls = access?.tls ?? null;
  return {
    ...(tls !== null ? { tls: tlsOptions(tls) } : isTls ? { tls: {} } : {}),
    ...(user !== undefined ? { user } : {}),
    ...(password !== undefined ? { pass: password } : {}),
    ...(token !== undefined ? { token } : {}),
    ...(access === undefined ? {} : identityOptions(access)),
  };
}

function identityOptions(access: BusAccess): AccessOptions {
  if (access.credentialsFile !== '')
    return { authenticator: credsAuthenticator(contentOf('bus.credentials_file', access.credentialsFile)) };
  const token = secretOf('bus.token_file', access.token);
  if (token !== null) return { token };
  const pass = secretOf('bus.password_file', access.password);
  return pass === null ? {} : { user: access.user, pass };
}

function tlsOptions({ caFile, certFile, keyFile }: BusTls): NonNullable<NodeConnectionOptions['tls']> {
  const pem = (key: string, path: string): string => contentOf(key, path).toString('utf8');
  return {
    ...(caFile === '' ? {} : { ca: pem('bus.tls.ca_file', caFile) }),
    ...(certFile === '' ? {} : { cert: pem('bus.tls.cert_file', certFile) }),
    ...(keyFile === '' ? {} : { key: pem('bus.tls.key_file', keyFile) }),
  };
}

/** Returns the secret, without the line feed at the end of its file. */
function secretOf(key: string, source: SecretSource): string | null {
  if (source === null) return null;
  if ('text' in source) return source.text;
  const secret = contentOf(key, source.file)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (secret === '' || /[\u0000-\u001f\u007f]/.test(secret))
    throw new Error(`${key}: the file ${source.file} must contain one line of text`);
  return secret;
}

function contentOf(key: string, path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${key}: the file ${path} cannot be used: ${reason}`);
  }
}
