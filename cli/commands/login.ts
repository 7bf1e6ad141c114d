import { hostname } from 'node:os';
import { Option, type Command } from 'commander';
import { signIn, signOut, type Credentials } from '../../client/accounts.ts';
import { ProblemError } from '../../client/problem.ts';
import type { Rest } from '../../client/rest.ts';
import { askSecret, secretFromFile } from '../credentials/enter-secret.ts';
import {
  credentialsPath,
  storeCredential,
  storedCredential,
  type StoredCredential,
} from '../credentials/stored-credentials.ts';
import { browserLogin } from './browser-login.ts';
import { shortTime } from '../output/age.ts';
import { optionsOf, serviceCommand } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { expiryOf, lifetime } from '../options/expiry.ts';
import { RestClient } from '../client/rest-client.ts';
import { targetOf, warnIfOpen, type TargetOptions } from '../client/target.ts';
import { printable, processTerminal, type Terminal } from '../terminal/terminal.ts';

interface LoginOptions extends TargetOptions {
  readonly username?: string;
  readonly passwordFile?: string;
  readonly withApiKey?: boolean;
  readonly browser?: boolean;
  /** Milliseconds; Infinity: the key does not expire. */
  readonly expires: number;
}

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 90;
/** Maximum length of the name of a key. */
const KEY_NAME_MAX = 200;

/** `callsheet login`: gets an API key for this machine, checks it, and stores it for the address. */
async function login(_options: object, command: Command): Promise<void> {
  const options = optionsOf<LoginOptions>(command);
  const { url } = targetOf(options);
  const terminal = processTerminal();
  const client = new RestClient(url);
  // Fails before a password is asked for if the file cannot be used.
  const before = storedCredential(url);
  warnIfOpen(url, terminal);
  const { credential, note } =
    options.withApiKey === true
      ? await givenKey(url)
      : options.browser === true
        ? await keyOfBrowser(url, before, terminal)
        : await createdKey(client, options, before, terminal);
  storeCredential(url, credential);
  const name = printable(credential.username);
  terminal.err(`Signed in to ${url} as ${name}. ${note}\nThe API key is in ${credentialsPath()}.\n`);
}

interface NewCredential {
  readonly credential: StoredCredential;
  /** When the key expires, as a sentence. */
  readonly note: string;
}

/** Signs in with a password and creates a key. The session ends, and the key of an earlier login is revoked. */
async function createdKey(
  client: RestClient,
  options: LoginOptions,
  before: StoredCredential | null,
  terminal: Terminal,
): Promise<NewCredential> {
  const credentials = await enteredCredentials(options, terminal);
  return client.run(async (rest) => {
    const session = await signIn(rest, credentials).catch(explainRefusal);
    try {
      const name = `callsheet on ${hostname()}`.slice(0, KEY_NAME_MAX);
      const expiresAt = expiryOf(options.expires, Date.now());
      const made = await session.rest.call('post', '/api-keys', { body: { name, expires_at: expiresAt } });
      if (before !== null && before.keyId !== null) await revokeEarlier(session.rest, before.keyId, terminal);
      const { username } = session.principal;
      const note =
        expiresAt === null ? 'The key does not expire.' : `The key expires on ${shortTime(expiresAt)}.`;
      return { credential: { key: made.secret, keyId: made.id, username }, note };
    } finally {
      await signOut(session.rest);
    }
  });
}

/** Gets a key by a sign-in in the browser, with any method of the sign-in page. The key of an earlier login is revoked. */
async function keyOfBrowser(
  url: string,
  before: StoredCredential | null,
  terminal: Terminal,
): Promise<NewCredential> {
  const { id, secret } = await browserLogin(url, { print: (line) => terminal.err(`${line}\n`) });
  const client = new RestClient(url, { key: secret, source: 'given' });
  const { username } = await client.call('get', '/auth/me');
  if (before !== null && before.keyId !== null) {
    const { keyId } = before;
    await client.run((rest) => revokeEarlier(rest, keyId, terminal));
  }
  return {
    credential: { key: secret, keyId: id, username },
    note: `The key expires in ${LIFETIME_DAYS} days.`,
  };
}

/** Takes a key from standard input, and checks it. */
async function givenKey(url: string): Promise<NewCredential> {
  const key = secretFromFile('-', 'an API key');
  const principal = await new RestClient(url, { key, source: 'given' }).call('get', '/auth/me');
  if (principal.kind === 'anonymous') throw authenticationIsOff(url);
  return {
    credential: { key, keyId: null, username: principal.username },
    note: 'The key stays valid after callsheet logout.',
  };
}

async function enteredCredentials(
  { username, passwordFile }: LoginOptions,
  { ask }: Terminal,
): Promise<Credentials> {
  if (username === undefined && ask === null)
    throw new CommandError(EXIT.usage, 'no user is at the terminal; give --username');
  const name = username ?? (await ask?.('Name: ')) ?? '';
  const password =
    passwordFile === undefined
      ? await askSecret('Password: ', 'give --password-file')
      : secretFromFile(passwordFile, 'the password');
  return { username: name.trim(), password };
}

function explainRefusal(error: unknown): never {
  if (error instanceof ProblemError && error.status === 401)
    throw new CommandError(EXIT.forbidden, 'the name or the password is wrong');
  throw error;
}

/** A key of another account, or one that is revoked already, is not found. */
async function revokeEarlier(rest: Rest, id: string, terminal: Terminal): Promise<void> {
  try {
    await rest.call('delete', '/api-keys/{id}', { path: { id } });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.status !== 404)
      terminal.err(`warning: the earlier key is not revoked: ${printable(error.message)}\n`);
  }
}

const authenticationIsOff = (url: string): CommandError =>
  new CommandError(EXIT.conflict, `authentication is off at ${url} (auth.enabled): no login is needed`);

/** `callsheet login` */
export const loginCommand = (): Command =>
  serviceCommand(
    'login',
    'Sign in. Creates an API key for this machine and stores it for the other commands.',
  )
    .option('--username <name>', 'name of the account; otherwise it is asked for')
    .option(
      '--password-file <file>',
      'file with the password (- for standard input); otherwise it is asked for',
    )
    .addOption(
      new Option('--with-api-key', 'store an existing API key, which is read from standard input').conflicts([
        'username',
        'passwordFile',
      ]),
    )
    .addOption(
      new Option('--browser', 'sign in with the browser, for example by single sign-on').conflicts([
        'username',
        'passwordFile',
        'withApiKey',
        'expires',
      ]),
    )
    .option(
      '--expires <time>',
      'lifetime of the key, such as 30d or 12h, or never (default: 90d)',
      lifetime,
      LIFETIME_DAYS * DAY_MS,
    )
    .action(login);
