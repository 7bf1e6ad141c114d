import { openLdapDirectory } from '../../src/adapters/identity/ldap/ldap-directory.ts';
import type { Directory } from '../../src/core/ports/directory.ts';
import type { StartContext } from './start-context.ts';

/** Returns the directory that checks passwords; null if none is configured. No connection is opened before a login. */
export function openDirectory({ config, logger, shutdown }: StartContext): Directory | null {
  if (config.auth.ldap === null) return null;
  const directory = openLdapDirectory(config.auth.ldap, (url, reason) => {
    logger.warn({ url, reason }, 'a directory server does not answer: asking the next one');
  });
  shutdown.add('http', () => directory.close());
  return directory;
}
