import { secretSource, type SecretSource } from './secret-source.ts';

/** How a daemon proves its identity to the bus, and checks that of the bus. Paths are as given. */
export interface BusAccess {
  /** Empty: no user. */
  readonly user: string;
  readonly password: SecretSource;
  readonly token: SecretSource;
  /** A file with a JWT and the seed of its key; empty: none. */
  readonly credentialsFile: string;
  /** Null: TLS only if the URL or the server requires it, with the certificate authorities of Node. */
  readonly tls: BusTls | null;
}

/** Paths of PEM files; empty: none. */
export interface BusTls {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Values of the keys of the access to the bus. */
export interface BusAccessValues {
  readonly 'bus.user': string;
  readonly 'bus.password': string;
  readonly 'bus.password_file': string;
  readonly 'bus.token': string;
  readonly 'bus.token_file': string;
  readonly 'bus.credentials_file': string;
  readonly 'bus.tls.ca_file': string;
  readonly 'bus.tls.cert_file': string;
  readonly 'bus.tls.key_file': string;
}

/** Returns the access to the bus, null if nothing is set. Contradictions are added to `lines`. */
export function busAccess(
  values: BusAccessValues,
  urls: readonly string[],
  lines: string[],
): BusAccess | null {
  const isSet = (key: keyof BusAccessValues): boolean => values[key] !== '';
  const password = secretSource('bus.password', values, lines);
  const token = secretSource('bus.token', values, lines);
  if ((password === null) === isSet('bus.user'))
    lines.push('bus.user: needs bus.password or bus.password_file, and these need bus.user');
  const ways = [isSet('bus.user'), token !== null, isSet('bus.credentials_file')].filter(Boolean).length;
  if (ways > 1) lines.push('bus.user, bus.token and bus.credentials_file: only one of them can be set');
  if (ways > 0 && urls.some((url) => url.includes('@')))
    lines.push(
      'bus.url: contains a user or token in addition to bus.user, bus.token or bus.credentials_file',
    );
  if (isSet('bus.tls.cert_file') !== isSet('bus.tls.key_file'))
    lines.push('bus.tls.cert_file: bus.tls.cert_file and bus.tls.key_file must be set together');
  const tls: BusTls = {
    caFile: values['bus.tls.ca_file'],
    certFile: values['bus.tls.cert_file'],
    keyFile: values['bus.tls.key_file'],
  };
  const hasTls = Object.values(tls).some((path) => path !== '');
  if (ways === 0 && !hasTls) return null;
  return {
    user: values['bus.user'],
    password,
    token,
    credentialsFile: values['bus.credentials_file'],
    tls: hasTls ? tls : null,
  };
}
