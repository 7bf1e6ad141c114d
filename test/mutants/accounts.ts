import { mutantsOf, type Mutant } from './mutant.ts';

const ACCOUNTS = 'test/actors/service/accounts';
const USERS = [`${ACCOUNTS}/users.test.ts`, `${ACCOUNTS}/sessions.test.ts`];

/** Mutants of accounts, sessions and keys. */
export const ACCOUNT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/service/accounts/on-user.ts',
    USERS,
    [
      'a second first administrator is created',
      '  if (state.accounts.size > 0) {',
      '  if (state.accounts.size > 5) {',
    ],
    [
      'a name can be taken twice',
      'if (state.names.has(usernameKey(input.username)))',
      'if (state.names.has(input.username))',
    ],
    [
      'the last administrator can be demoted',
      'if (!isEnabledAdmin(changed) && isLastAdmin(state, user))',
      'if (changed.disabled && isLastAdmin(state, user))',
    ],
    [
      'the last administrator can be disabled',
      "user.role === 'admin' && !user.disabled;",
      "user.role === 'admin';",
    ],
    [
      'the last administrator can be deleted',
      'if (isLastAdmin(state, account.user)) {',
      'if (state.accounts.size < 2) {',
    ],
    [
      'a disabled account keeps its sessions',
      '  if (changed.disabled) endSessions(state, account, context);\n',
      '',
    ],
    [
      'a new password keeps the sessions',
      '  endSessions(state, account, context);\n  if (session',
      '  if (session',
    ],
    [
      'the session of the caller is not renewed',
      '  if (session !== null) startSession(state, account, session, context);\n',
      '',
    ],
    [
      'a password change with an old hash succeeds',
      'expectedHash !== null && expectedHash !== user.passwordHash',
      'expectedHash !== null && user.passwordHash === null',
    ],
    [
      'the password of a directory account can be set',
      "if (user.authSource !== 'local')",
      "if (user.authSource === 'oidc')",
    ],
    [
      'an old hash is stored again',
      'if (account?.user.passwordHash !== expectedHash) return;',
      'if (account === undefined) return;',
    ],
  ),
  ...mutantsOf(
    'actors/service/accounts/on-session.ts',
    USERS,
    [
      'a login with an old password starts a session',
      ' || account.user.passwordHash !== verifiedHash) {',
      ') {',
    ],
    [
      'a disabled account signs in',
      "  if (account.user.disabled) {\n    context.reply(replyTo, notAllowed('the account is disabled'));\n    return;\n  }\n  startSession",
      '  startSession',
    ],
    [
      'a directory login adopts a local account',
      '  if (found === undefined && state.names.has(usernameKey(identity.username))) {',
      '  if (found === undefined && state.names.has(identity.username)) {',
    ],
    [
      'a disabled directory account signs in',
      "  if (account.user.disabled) {\n    context.reply(replyTo, notAllowed('the account is disabled'));\n    return;\n  }\n  followRole",
      '  followRole',
    ],
    [
      'a directory demotes the last administrator',
      '  if (isLastAdmin(state, user)) {',
      '  if (user.disabled) {',
    ],
    [
      'the role of the directory is not followed',
      '  writeUser(account, { ...user, role, updatedAt: context.now }, context);\n',
      '',
    ],
    ['expired sessions stay', 'if (session.expiresAt <= context.now)', 'if (session.expiresAt <= 0)'],
    [
      'live sessions are removed',
      'if (session.expiresAt <= context.now)',
      'if (session.createdAt <= context.now)',
    ],
    [
      'the sweep of sessions runs once',
      "  context.after('sessions', SWEEP_MS, { type: 'sessions.due' });\n",
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/accounts/state.ts',
    USERS,
    [
      'sessions of an account are not limited',
      'account.sessions.size > SESSIONS_PER_USER',
      'account.sessions.size > 2 * SESSIONS_PER_USER',
    ],
    [
      'after a restart any session ends instead of the oldest',
      '.sort((a, b) => a.value.createdAt - b.value.createdAt)',
      '.sort((a, b) => b.value.createdAt - a.value.createdAt)',
    ],
    [
      'a deleted account keeps its sessions',
      '  endSessions(state, account, context);\n  for (const digest of',
      '  for (const digest of',
    ],
    [
      'a deleted account keeps its keys',
      '  for (const digest of [...account.keys.keys()]) removeKey(state, account, digest, context);\n',
      '',
    ],
    ['the name of a deleted account stays taken', '  state.names.delete(usernameKey(user.username));\n', ''],
    [
      'external accounts are not found after a restart',
      '  if (user.externalId !== null) state.externals.set(externalKey(user.authSource, user.externalId), user.id);\n',
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/accounts/on-key.ts',
    [`${ACCOUNTS}/keys.test.ts`],
    [
      'the number of keys is not limited',
      'if (valid.length >= API_KEYS_PER_USER)',
      'if (valid.length > API_KEYS_PER_USER)',
    ],
    ['a key is revoked twice', ' || found[1].revokedAt !== null) {', ') {'],
    [
      'revocation removes the mark',
      '{ ...record, revokedAt: context.now }',
      '{ ...record, revokedAt: null }',
    ],
    [
      'each use of a key is stored',
      '  if (record.lastUsedAt !== null && context.now - record.lastUsedAt < API_KEY_USE_MS) return;\n',
      '',
    ],
    [
      'rows of ended keys are not removed',
      '    removeKey(state, account, digest, context);\n',
      '    void digest;\n',
    ],
    [
      'the newest ended keys are removed',
      '.sort(([, a], [, b]) => a.createdAt - b.createdAt)',
      '.sort(([, a], [, b]) => b.createdAt - a.createdAt)',
    ],
  ),
  ...mutantsOf(
    'src/core/records/api-key.ts',
    [`${ACCOUNTS}/keys.test.ts`],
    ['an expired key is valid', ' && (key.expiresAt === null || now < key.expiresAt);', ';'],
    ['a revoked key is valid', 'key.revokedAt === null && ', ''],
  ),
  ...mutantsOf(
    'http/accounts/login-throttle.ts',
    ['test/http/accounts/login-throttle.test.ts'],
    ['an account is not slowed down', 'this.#delayOf(places[0] ?? 0, FREE_ACCOUNT)', '0'],
    ['an address is not slowed down', 'this.#delayOf(places[1] ?? 0, FREE_ADDRESS)', '0'],
    ['the delay grows without end', 'Math.min(DELAY_MAX_MS, DELAY_STEP_MS', 'Math.max(0, DELAY_STEP_MS'],
    ['failures are never forgotten', ' - passed / FORGET_MS', ''],
    ['a login forgets nothing', "    this.#failures[this.#placeOf('account', account)] = 0;\n", ''],
    [
      'any number of logins waits',
      'places.some((place) => (this.#waiting.get(place) ?? 0) >= WAITING_EACH_MAX)',
      'false',
    ],
    ['waiting logins are counted forever', '      this.#count(places, -1);\n', ''],
  ),
  ...mutantsOf(
    'http/accounts/session-cookie.ts',
    ['test/http/accounts/session-cookie.test.ts'],
    ['scripts can read the cookie', '; HttpOnly; SameSite=Lax', '; SameSite=Lax'],
    ['the cookie is sent across sites', '; HttpOnly; SameSite=Lax', '; HttpOnly; SameSite=None'],
    [
      'the cookie is never Secure',
      "cookieSecure === 'true' || (cookieSecure === 'auto' && isSecure)",
      'isSecure && isSecure !== isSecure',
    ],
    [
      'the first of two different cookies counts',
      '    if (found !== null && found !== cookie.value) return null;\n',
      '    if (found !== null) return found;\n',
    ],
    ['names of cookies end anywhere', 'cookie.name !== name', '!cookie.name.startsWith(name)'],
  ),
];
