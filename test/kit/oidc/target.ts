import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startService, type RunningService } from '../daemons.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider, type Accounts, type TestProvider } from './provider.ts';

/** Accounts at the provider, by subject. */
const ACCOUNTS: Accounts = {
  'id-alice': { name: 'Alice A.', preferred_username: 'alice', groups: ['artists'] },
  'id-olga': { name: 'Olga', preferred_username: 'olga', groups: ['artists', 'wranglers'] },
  'id-guest': { name: 'Guest', preferred_username: 'guest', groups: ['visitors'] },
  'id-admin': { name: 'Not the admin', preferred_username: 'Admin', groups: ['artists'] },
};

/** Name and password of the first administrator, a local account. */
export const ADMIN = { username: 'admin', password: 'password of the tests' };

/** A service that signs in by a real provider. */
export interface OidcFarm {
  readonly url: string;
  readonly provider: TestProvider;
  readonly service: RunningService;
  /** Stops both. Keeps the folder with the logs if `keep` is set. */
  close(keep: boolean): Promise<void>;
}

/** Starts a provider, and a service with `auth.oidc.logout_mode=provider` that uses it. */
export async function startOidcFarm(flags: readonly string[] = []): Promise<OidcFarm> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-oidc-'));
  const httpPort = await freePort();
  const url = `http://127.0.0.1:${httpPort}`;
  const provider = await startProvider({
    redirectUrls: [`${url}/api/v1/auth/oidc/callback`],
    afterLogout: [`${url}/sign-in`],
    accounts: ACCOUNTS,
  });
  const [secretFile, passwordFile] = [join(folder, 'client-secret'), join(folder, 'password')];
  await writeFile(secretFile, `${CLIENT_SECRET}\n`);
  await writeFile(passwordFile, `${ADMIN.password}\n`);
  const service = await startService({
    folder,
    httpPort,
    busPort: await freePort(),
    flags: [
      '--auth-enabled=true',
      `--auth-bootstrap-username=${ADMIN.username}`,
      `--auth-bootstrap-password-file=${passwordFile}`,
      '--auth-oidc-enabled=true',
      `--auth-oidc-issuer=${provider.issuer}`,
      `--auth-oidc-client-id=${CLIENT_ID}`,
      `--auth-oidc-client-secret-file=${secretFile}`,
      '--auth-oidc-scopes=openid,profile,groups',
      `--auth-oidc-redirect-url=${url}/api/v1/auth/oidc/callback`,
      '--auth-oidc-role-map=artists=user,wranglers=operator',
      '--auth-oidc-logout-mode=provider',
      ...flags,
    ],
  });
  return {
    url,
    provider,
    service,
    close: async (keep) => {
      await service.daemon.kill('SIGTERM');
      await provider.close();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}
