import { timestampOf } from '../timestamp.ts';
import { failure, ok, warning, type Finding } from './finding.ts';

/** A file with a secret, as the system describes it. */
export type SecretFile =
  | {
      readonly ok: true;
      readonly path: string;
      /** Permission bits. */
      readonly mode: number;
      /** Set if the account of this process or root owns it. */
      readonly isOwn: boolean;
    }
  | { readonly ok: false; readonly path: string; readonly reason: string };

const OTHERS = 0o077;
const OCTAL = 8;
const HOUR_MS = 3_600_000;
/** Time before the expiry from which a warning is given: the worker renews its credential much earlier. */
const EXPIRES_SOON_MS = 24 * HOUR_MS;

/** Returns the finding about a file with a secret. `key` is its configuration key. */
export function secretFileFinding(key: string, file: SecretFile): Finding {
  const name = `file ${key}`;
  if (!file.ok)
    return failure(
      name,
      `${file.path}: ${file.reason}`,
      `create the file, or change ${key}; run the check as the account of the worker`,
    );
  const { path, mode, isOwn } = file;
  if ((mode & OTHERS) !== 0)
    return failure(
      name,
      `${path} can be used by other accounts (mode ${mode.toString(OCTAL)}), such as those of jobs`,
      `chmod 600 ${path}`,
    );
  return isOwn
    ? ok(name, `${path}, only for its owner`)
    : failure(name, `${path} belongs to another account`, `chown the file to the account of the worker`);
}

/** Returns the finding about the expiry of a credential, or of a certificate of this host. */
export function expiryFinding(name: string, expiresAt: number | null, now: number, renewal: string): Finding {
  if (expiresAt === null) return ok(name, 'does not expire');
  const time = timestampOf(expiresAt);
  if (expiresAt <= now) return failure(name, `has expired at ${time}`, renewal);
  return expiresAt - now < EXPIRES_SOON_MS
    ? warning(name, `expires at ${time}`, renewal)
    : ok(name, `expires at ${time}`);
}
