import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Provider, type Configuration } from 'oidc-provider';
import { createSigningKey, type SigningKey } from './signed-token.ts';

export const CLIENT_ID = 'callsheet';
export const CLIENT_SECRET = 'client-secret-of-the-tests-0123456789';

/** Claims of an account by its subject. */
export type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface ProviderOptions {
  readonly port?: number;
  readonly redirectUrls: readonly string[];
  readonly afterLogout?: readonly string[];
  readonly accounts: Accounts;
}

/** An answer of the provider, before it is sent. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Changes answers of one path. */
export type Change = (body: Readonly<Record<string, unknown>>) => Partial<ProviderAnswer>;

/**
 * The real oidc-provider on a loopback address. Its interactions sign in `account` without a form. A test may change its
 * answers, as a hostile or faulty provider would send them.
 */
export interface TestProvider {
  readonly issuer: string;
  readonly key: SigningKey;
  /** Account of the next login. */
  account: string;
  /** Paths of all requests, in order. */
  readonly requests: readonly string[];
  /** Changes answers to one path until `restore`. */
  readonly change: (path: string, change: Change) => void;
  readonly restore: () => void;
  readonly close: () => Promise<void>;
}

/** Paths of oidc-provider. */
export const PROVIDER_PATHS = {
  discovery: '/.well-known/openid-configuration',
  keys: '/jwks',
  token: '/token',
  userInfo: '/me',
} as const;

const INTERACTION = '/interaction/';
const SCOPES = ['openid', 'profile', 'email', 'groups'];

export async function startProvider(options: ProviderOptions): Promise<TestProvider> {
  const server = createServer();
  const port = await listen(server, options.port ?? 0);
  const issuer = `http://127.0.0.1:${port}`;
  const key = createSigningKey('provider-key');
  const provider = new Provider(issuer, settingsOf(options, key));
  const changes = new Map<string, Change>();
  changeAnswers(provider, changes);
  const app = provider.callback();
  const requests: string[] = [];
  const kit = {
    issuer,
    key,
    account: Object.keys(options.accounts)[0] ?? '',
    requests,
    change: (path: string, change: Change) => void changes.set(path, change),
    restore: () => {
      changes.clear();
    },
    close: () => close(server),
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    requests.push(path);
    if (path.startsWith(INTERACTION)) {
      interact(provider, kit.account, request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
      return;
    }
    void app(request, response);
  });
  return kit;
}

function settingsOf(
  { redirectUrls, afterLogout = [], accounts }: ProviderOptions,
  key: SigningKey,
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [...redirectUrls],
        post_logout_redirect_uris: [...afterLogout],
      },
    ],
    jwks: { keys: [key.privateJwk] },
    cookies: { keys: ['cookie-key-of-the-tests'] },
    scopes: SCOPES,
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups', 'realm_access'],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    ttl: { Session: 3600, Grant: 3600, Interaction: 600, AccessToken: 600, IdToken: 600 },
    interactions: { url: (_context, { uid }) => `${INTERACTION}${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => Promise.resolve({ ...accounts[id], sub: id }),
    }),
  };
}

/** Signs in the account, then grants all scopes. */
async function interact(
  provider: Provider,
  account: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await provider.interactionDetails(request, response);
  if (details.prompt.name === 'login') {
    const result = { login: { accountId: account } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    return;
  }
  const grant = new provider.Grant({
    accountId: details.session?.accountId ?? account,
    clientId: String(details.params['client_id']),
  });
  grant.addOIDCScope(SCOPES.join(' '));
  const result = { consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** Replaces answers of the provider before they are sent. */
function changeAnswers(provider: Provider, changes: ReadonlyMap<string, Change>): void {
  provider.use(async (context, next) => {
    await next();
    const change = changes.get(context.path);
    if (change === undefined) return;
    const body: unknown = context.body;
    const changed = change(typeof body === 'object' && body !== null ? { ...body } : {});
    context.status = changed.status ?? context.status;
    context.set({ ...changed.headers });
    context.body = changed.body ?? body;
  });
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
