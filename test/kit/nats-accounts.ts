import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a JWT about a key, signed by another one, as nats-server reads them. */
function tokenFor(subject: KeyPair, issuer: KeyPair, claims: object): string {
  const name = 'test';
  const body = {
    jti: subject.getPublicKey(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name,
    sub: subject.getPublicKey(),
    nats: { version: 2, ...claims },
  };
  const signed = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(body)}`;
  return `${signed}.${Buffer.from(issuer.sign(encoder.encode(signed))).toString('base64url')}`;
}

const NO_LIMITS = { subs: -1, data: -1, payload: -1 };

/** A bus with an operator and one account: lines for the configuration of its server, and credentials files of users. */
export function makeAccount() {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const accountToken = tokenFor(account, operator, {
    type: 'account',
    limits: { ...NO_LIMITS, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
  });
  return {
    config: [
      `operator: ${tokenFor(operator, operator, { type: 'operator' })}`,
      'resolver: MEMORY',
      `resolver_preload: { ${account.getPublicKey()}: ${accountToken} }`,
    ],
    /** Returns the content of a credentials file of a new user. */
    credentials: (): string => {
      const user = nkeys.createUser();
      return [
        '-----BEGIN NATS USER JWT-----',
        tokenFor(user, account, { type: 'user', ...NO_LIMITS }),
        '------END NATS USER JWT------',
        '',
        '-----BEGIN USER NKEY SEED-----',
        decoder.decode(user.getSeed()),
        '------END USER NKEY SEED------',
        '',
      ].join('\n');
    },
  };
}
