import { secretSource, type SecretSource } from './secret-source.ts';

/** How a daemon proves its identity to the bus, and checks that of the bus. Paths are as given. */
export interface BusAccess {
  /** Prefix of the keys that are set, for errors about their files. */
  readonly keys: 'bus' | 'bus.streams';
  /** Empty: no user. */
  readonly user: string;
  readonly password: SecretSource;
  readonly token: SecretSource;
  /** A file with a JWT and the seed of its key; empty: none. */
  readonly credentialsFile: string;
  /** A file with the seed of an NKEY; empty: none. */
  readonly nkeyFile: string;
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
  readonly 'bus.nkey_file': string;
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
  const ways = [
    isSet('bus.user'),
    token !== null,
    isSet('bus.credentials_file'),
    isSet('bus.nkey_file'),
  ].filter(Boolean).length;
  if (ways > 1)
    lines.push('bus.user, bus.token, bus.credentials_file and bus.nkey_file: only one of them can be set');
  if (ways > 0 && urls.some((url) => url.includes('@')))
    lines.push(
      'bus.url: contains a user or token in addition to bus.user, bus.token, bus.credentials_file or bus.nkey_file',
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
    keys: 'bus',
    user: values['bus.user'],
    password,
    token,
    credentialsFile: values['bus.credentials_file'],
    nkeyFile: values['bus.nkey_file'],
    tls: hasTls ? tls : null,
  };
}

/** Values of the keys of the access to the account of the streams. */
export interface StreamAccessValues {
  readonly 'bus.streams.user': string;
  readonly 'bus.streams.password_file': string;
  readonly 'bus.streams.credentials_file': string;
  readonly 'bus.streams.nkey_file': string;
}

/**
 * Returns the access to the account of the streams of an external server: that of the requests if nothing else is set. TLS
 * is the same. Contradictions are added to `lines`.
 */
export function streamAccess(
  values: StreamAccessValues,
  requests: BusAccess | null,
  lines: string[],
): BusAccess | null {
  const user = values['bus.streams.user'];
  const passwordFile = values['bus.streams.password_file'];
  const credentialsFile = values['bus.streams.credentials_file'];
  const nkeyFile = values['bus.streams.nkey_file'];
  if ((user === '') !== (passwordFile === ''))
    lines.push('bus.streams.user: bus.streams.user and bus.streams.password_file must be set together');
  const ways = [user, credentialsFile, nkeyFile].filter((value) => value !== '').length;
  if (ways > 1)
    lines.push(
      'bus.streams.user, bus.streams.credentials_file and bus.streams.nkey_file: only one of them can be set',
    );
  if (ways === 0) return requests;
  return {
    keys: 'bus.streams',
    user,
    password: passwordFile === '' ? null : { file: passwordFile },
    token: null,
    credentialsFile,
    nkeyFile,
    tls: requests?.tls ?? null,
  };
}
