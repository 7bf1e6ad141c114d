import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { listenForCode, type SentCode } from '../../src/adapters/identity/loopback/code-listener.ts';
import { openBrowser } from '../../src/adapters/identity/loopback/open-browser.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { RestClient } from '../client/rest-client.ts';

/** Time in which the user must sign in and confirm. */
const WAIT_MS = 5 * 60_000;
const HOST_LENGTH_MAX = 64;

export interface BrowserLoginOptions {
  /** Shows the address that the user must open. */
  readonly print: (line: string) => void;
  /** Opens the address; false if that is not possible. */
  readonly open?: (url: string) => Promise<boolean>;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** An API key that the service created for this command. The secret is in no log and no output. */
export interface CommandKey {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/**
 * Signs the command in by the browser, with any method of the sign-in page, and returns an API key of the user. The browser
 * brings a code to a loopback address of this command (RFC 8252), which only this command can exchange.
 *
 * @throws CommandError if the user declines, or does not confirm in time, or the service refuses.
 * @see docs/contract/authentication.md#sign-in-of-the-command-line
 */
export async function browserLogin(
  serviceUrl: string,
  { print, open = openBrowser, signal }: BrowserLoginOptions,
): Promise<CommandKey> {
  const client = new RestClient(serviceUrl);
  const [state, verifier] = [secret(), secret()];
  const limit = AbortSignal.timeout(WAIT_MS);
  const listener = await listenForCode(
    state,
    signal === undefined ? limit : AbortSignal.any([signal, limit]),
  );
  try {
    const url = confirmationUrl(client.firstUrl, { port: listener.port, state, verifier });
    const isOpen = await open(url);
    print(isOpen ? 'Confirm the sign-in in your browser, or open this address:' : 'Open this address:');
    print(`  ${url}`);
    const { code } = codeOf(await listener.sent.catch(notConfirmed));
    const {
      id,
      name,
      secret: key,
    } = await client.call('post', '/auth/command-token', {
      body: { code, verifier },
    });
    return { id, name, secret: key };
  } finally {
    await listener.close();
  }
}

/** Returns the address of the page where the user confirms. It contains no secret of the command but the state. */
function confirmationUrl(
  base: string,
  { port, state, verifier }: { readonly port: number; readonly state: string; readonly verifier: string },
): string {
  const parameters = new URLSearchParams({
    port: String(port),
    state,
    challenge: createHash('sha256').update(verifier).digest('base64url'),
    host:
      hostname()
        .replaceAll(/[^A-Za-z0-9._-]/g, '-')
        .slice(0, HOST_LENGTH_MAX) || 'unknown',
  });
  return `${base.replace(/\/+$/, '')}/sign-in-command?${parameters.toString()}`;
}

function codeOf(sent: SentCode): { readonly code: string } {
  if (sent === 'declined') throw new CommandError(EXIT.forbidden, 'you declined the sign-in in the browser');
  return sent;
}

function notConfirmed(error: unknown): never {
  if (error instanceof Error && error.name === 'TimeoutError')
    throw new CommandError(
      EXIT.forbidden,
      `the sign-in was not confirmed within ${WAIT_MS / 60_000} minutes`,
    );
  throw error;
}

const secret = (): string => randomBytes(32).toString('base64url');
