import type { BusAccess } from './bus-access.ts';

/** Settings of a bus on which every worker has an identity (docs/bus-identity.md). */
export interface BusAuthentication {
  /** Time for which a credential is valid. */
  readonly credentialLifetimeMs: number;
  /** Addresses in join tokens; empty: derived from the listen address. */
  readonly publicUrls: readonly string[];
  /** The operator's certificates of the managed server: paths of PEM files. Null: the service creates its own. */
  readonly certificates: {
    readonly caFile: string;
    readonly certFile: string;
    readonly keyFile: string;
  } | null;
}

/** Values of the keys of the authentication of the bus. */
export interface BusAuthenticationValues {
  readonly 'bus.auth.enabled': boolean;
  readonly 'bus.auth.credential_lifetime': number;
  readonly 'bus.public_url': readonly string[];
}

/** Returns the authentication of the bus, null if it is off. Contradictions are added to `lines`. */
export function busAuthentication(
  values: BusAuthenticationValues,
  urls: readonly string[],
  access: BusAccess | null,
  lines: string[],
): BusAuthentication | null {
  if (!values['bus.auth.enabled']) return null;
  const tls = urls.length > 0 ? null : (access?.tls ?? null);
  if (tls !== null && [tls.caFile, tls.certFile, tls.keyFile].includes(''))
    lines.push(
      'bus.tls.cert_file: the managed server needs bus.tls.ca_file, bus.tls.cert_file and bus.tls.key_file together',
    );
  if (values['bus.public_url'].some((url) => url.includes('@')))
    lines.push('bus.public_url: must not contain a user or a token');
  return {
    credentialLifetimeMs: values['bus.auth.credential_lifetime'],
    publicUrls: values['bus.public_url'],
    certificates: tls,
  };
}
