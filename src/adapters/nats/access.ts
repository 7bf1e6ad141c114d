import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { BusAccess, BusTls } from '../../core/config/bus-access.ts';
import { readConfiguredFile, readSecret } from '../system/secret-file.ts';
import { signingKeyOf } from './nkey-signer.ts';
import type { BusUser, ServerList } from './server-address.ts';

type AccessOptions = Pick<NodeConnectionOptions, 'tls' | 'user' | 'pass' | 'token' | 'authenticator'>;

/**
 * Returns the options of a connection to the servers, with the present content of the configured files, so that
 * passwords and certificates can be replaced without a restart.
 *
 * @throws Error that names the key and the path if a file cannot be used.
 */
export function accessOptions(servers: ServerList): AccessOptions {
  const { isTls, user, password, token, access, identity, ca } = servers;
  const tls = access?.tls ?? null;
  return {
    ...(ca !== undefined
      ? { tls: { ca } }
      : tls !== null
        ? { tls: tlsOptions(tls) }
        : isTls
          ? { tls: {} }
          : {}),
    ...(user !== undefined ? { user } : {}),
    ...(password !== undefined ? { pass: password } : {}),
    ...(token !== undefined ? { token } : {}),
    ...(identity !== undefined ? userOptions(identity) : access === undefined ? {} : identityOptions(access)),
  };
}

function userOptions({ seed, jwt }: BusUser): AccessOptions {
  const key = signingKeyOf(seed);
  const signatureOf = (challenge: string): string =>
    key.sign(new TextEncoder().encode(challenge)).toString('base64url');
  return {
    authenticator: (nonce = '') => ({
      ...(jwt === null ? {} : { jwt }),
      nkey: key.publicKey,
      sig: nonce === '' ? '' : signatureOf(nonce),
    }),
  };
}

function identityOptions({
  keys,
  user,
  password,
  token,
  credentialsFile,
  nkeyFile,
}: BusAccess): AccessOptions {
  if (credentialsFile !== '')
    return {
      authenticator: credsAuthenticator(readConfiguredFile(`${keys}.credentials_file`, credentialsFile)),
    };
  if (nkeyFile !== '') {
    const seed = readConfiguredFile(`${keys}.nkey_file`, nkeyFile).toString('utf8').trim();
    return userOptions({ seed, jwt: null });
  }
  if (token !== null) return { token: readSecret(`${keys}.token_file`, token) };
  if (password === null) return {};
  return { user, pass: readSecret(`${keys}.password_file`, password) };
}

function tlsOptions({ caFile, certFile, keyFile }: BusTls): NonNullable<NodeConnectionOptions['tls']> {
  const pem = (key: string, path: string): string => readConfiguredFile(key, path).toString('utf8');
  return {
    ...(caFile === '' ? {} : { ca: pem('bus.tls.ca_file', caFile) }),
    ...(certFile === '' ? {} : { cert: pem('bus.tls.cert_file', certFile) }),
    ...(keyFile === '' ? {} : { key: pem('bus.tls.key_file', keyFile) }),
  };
}
