import { ACCOUNTS_ID } from '../../actors/service/accounts/messages.ts';
import type { Ports } from '../../http/ports.ts';
import { readSecret } from '../../src/adapters/system/secret-file.ts';
import { passwordFault } from '../../src/core/access/password-rules.ts';
import type { AuthConfig } from '../../src/core/config/auth-config.ts';
import { usernameFault, type UserRecord } from '../../src/core/records/user.ts';
import type { Logger } from '../process/logging.ts';

/**
 * Creates the first administrator if authentication is on and there is no account
 * (docs/contract/authentication.md#first-administrator). Warns if there is neither an account nor a setting for one. Throws
 * if the configured name or password is not acceptable.
 */
export async function bootstrapAdmin(
  { enabled, bootstrap, passwordLengthMin }: AuthConfig,
  ports: Pick<Ports, 'store' | 'actors' | 'passwords'>,
  logger: Logger,
): Promise<void> {
  const [anyUser] = ports.store.scan('user', { limit: 1 });
  if (!enabled || anyUser !== undefined) return;
  if (bootstrap === null) {
    logger.warn(
      'authentication is on and there is no account to sign in with: set auth.bootstrap.username and auth.bootstrap.password_file, and start again',
    );
    return;
  }
  const { username } = bootstrap;
  const password = readSecret('auth.bootstrap.password_file', bootstrap.password);
  reject('auth.bootstrap.username', usernameFault(username));
  reject('auth.bootstrap.password', passwordFault(password, Buffer.byteLength(password), passwordLengthMin));
  const hashed = await ports.passwords.hash(password);
  if (!hashed.ok) throw new Error('the password of the first administrator could not be hashed');
  const input = { username, displayName: '', role: 'admin', passwordHash: hashed.value } as const;
  const outcome = await ports.actors.ask<UserRecord | null>((replyTo) => ({
    actor: 'accounts',
    id: ACCOUNTS_ID,
    message: { type: 'user.bootstrap', input, replyTo },
  }));
  if (!outcome.ok) throw new Error(`the first administrator could not be created: ${outcome.problem.detail}`);
  if (outcome.value !== null) logger.info({ username }, 'the first administrator was created');
}

function reject(key: string, fault: string | null): void {
  if (fault !== null) throw new Error(`${key}: ${fault}`);
}
