import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** An RSA key pair of a provider. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  /** Key for the settings of oidc-provider. */
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly publicJwk: Readonly<Record<string, unknown>>;
}

export function createSigningKey(id: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const facts = { kid: id, use: 'sig', alg: 'RS256' };
  return {
    id,
    privateKey,
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...facts },
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...facts },
  };
}

/** How a token is signed. `secret` signs with HS256; null leaves the signature empty. */
export interface TokenSigner {
  readonly header: Readonly<Record<string, unknown>>;
  readonly key: KeyObject | { readonly secret: string } | null;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a JSON Web Token with any header and claims, also an invalid one. */
export function signToken({ header, key }: TokenSigner, claims: object): string {
  const input = `${encoded(header)}.${encoded(claims)}`;
  if (key === null) return `${input}.`;
  const signature =
    'secret' in key
      ? createHmac('sha256', key.secret).update(input).digest()
      : sign('sha256', Buffer.from(input), key);
  return `${input}.${signature.toString('base64url')}`;
}

/** Returns the claims of a token without a check. */
export function readClaims(token: string): Readonly<Record<string, unknown>> {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  if (typeof claims !== 'object' || claims === null) throw new Error('the token has no claims');
  return Object.fromEntries(Object.entries(claims));
}
