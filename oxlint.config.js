import { readdirSync } from 'node:fs';
import { defineConfig } from 'oxlint';

/**
 * Lint rules of the project (docs/architecture.md). TypeScript project references check the direction of imports between
 * layers; this file checks what is finer than a layer.
 */

const message = {
  uws: 'Only http/server/uws may import uWebSockets.js: its adapter keeps a thrown error from ending the process.',
  lmdb: 'Only src/adapters/lmdb may import lmdb: one folder knows which transactions roll back.',
  nats: 'Only src/adapters/nats may import @nats-io packages.',
  ldap: 'Only src/adapters/identity/ldap may import ldapts.',
  mdns: 'Only src/adapters/discovery may import bonjour-service.',
  web: 'The web application reaches the service by its API: of other folders it may import the types of the core and of the contract.',
  oidc: 'Only src/adapters/identity/oidc may import openid-client, and only test/kit/oidc oidc-provider.',
  jwt: 'Only src/adapters/identity/tokens may import jsonwebtoken: it fixes algorithm, audience and expiry.',
  regex: 'Only src/adapters/regex may import re2js: it relies on its internals.',
  sharp: 'Only src/adapters/previews may import sharp: it decodes files of jobs, in a process with limits.',
  ws: 'Only client/package and http/server/node may import ws: elsewhere the event channel is of the browser or of the engine.',
  yaml: 'Only src/adapters/yaml, src/adapters/system, http/openapi and one file each of the pages of a job (read-yaml.ts) and of a submission (read-document.ts) may import yaml: others get parsed documents.',
  messages: "Only an actor's messages.ts may be imported from outside its folder.",
  core: 'src/core and src/openjd import no package and no layer above them.',
  barrel: 'No barrel files: import from the file that declares it.',
  inject: 'Inject it: the core and the actors get the time, ids and timers from their callers.',
};

const PACKAGES = {
  uws: [{ name: 'uWebSockets.js', message: message.uws }],
  lmdb: [{ name: 'lmdb', message: message.lmdb }],
  ldap: [{ name: 'ldapts', message: message.ldap }],
  mdns: [{ name: 'bonjour-service', message: message.mdns }],
  oidc: [
    { name: 'openid-client', message: message.oidc },
    { name: 'oidc-provider', message: message.oidc },
  ],
  jwt: [{ name: 'jsonwebtoken', message: message.jwt }],
  regex: [{ name: 're2js', message: message.regex }],
  sharp: [{ name: 'sharp', message: message.sharp }],
  ws: [{ name: 'ws', message: message.ws }],
  yaml: [{ name: 'yaml', message: message.yaml }],
};
const NATS = { group: ['@nats-io/*'], message: message.nats };

/** Restricted imports replace each other between blocks, so each block names all that it forbids. */
function imports(allowed, patterns = []) {
  const paths = Object.entries(PACKAGES).flatMap(([name, entries]) =>
    allowed.includes(name) ? [] : entries,
  );
  const groups = allowed.includes('nats') ? [] : [NATS];
  return {
    'no-restricted-imports': ['error', { paths, patterns: groups }],
    'syntax/imports': patterns.length > 0 ? ['error', ...patterns] : 'off',
  };
}

/** Returns the folders of actors below a folder. */
const actorFolders = (folder) =>
  readdirSync(new URL(folder, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'kernel')
    .map((entry) => entry.name);

/** The actors of the service, and those of the worker's daemon. */
const SERVICE_ACTORS = actorFolders('actors/service');
const AGENT_ACTORS = actorFolders('actors/agent');

/** Forbids imports of files of actor folders other than messages.ts. */
const messagesOnly = (folders, prefix) => ({
  regex: `^${prefix}(${folders.join('|')})/(?!messages\\.ts$)`,
  message: message.messages,
});
const SERVICE_ACTOR_FILES = messagesOnly(SERVICE_ACTORS, '\\.\\./');
const AGENT_ACTOR_FILES = messagesOnly(AGENT_ACTORS, '\\.\\./');
/**
 * Escapes, the Markdown of readmes, differences of texts, the numbers of log lines and rules of products are the same on
 * the command line, in the service and in pages.
 */
const WEB_BOUNDS = {
  regex:
    '\\.\\./((src(?!/core/(?:escaped-text|failure/error-line|markdown/parse-markdown|products/product-rules|records/log-lines|text-diff/(?:align-lines|diff-hunks|line-diff))\\.ts$))|actors|bench|test)/',
  message: message.web,
  allowTypeImports: true,
};
const ACTOR_FILES_FROM_HTTP = messagesOnly(
  [...SERVICE_ACTORS, ...AGENT_ACTORS],
  '.*actors/(?:service|agent)/',
);

const CLOCKS = [
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'performance',
  'crypto',
];

/** Decisions of the core and of actors are pure: they must not depend on a clock, a random number or the environment. */
const PURE = {
  'no-restricted-globals': ['error', ...CLOCKS.map((name) => ({ name, message: message.inject }))],
  'no-restricted-properties': [
    'error',
    { object: 'Math', property: 'random', message: message.inject },
    { object: 'Intl', property: 'DateTimeFormat', message: message.inject },
  ],
};

const SYNTAX = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'Export by name: a name is the same wherever it is used.',
  },
  {
    selector: 'TSEnumDeclaration',
    message: 'No enums: use a union of literals, or an object declared as const.',
  },
  { selector: 'ExportAllDeclaration', message: message.barrel },
  { selector: 'ExportNamedDeclaration[source]', message: message.barrel },
  {
    selector: 'CallExpression[callee.property.name=/^(transaction|batch)$/]',
    message:
      'lmdb: transaction() and batch() do not roll back when they throw; use transactionSync or childTransaction.',
  },
];

/** Threads must never be terminated; processes may be. */
const NO_TERMINATE = [
  {
    selector: "CallExpression[callee.property.name='terminate']",
    message:
      'Never terminate a thread: if it has opened LMDB or uWebSockets.js, the process ends with it. Send it a request to stop.',
  },
];

const DYNAMIC_NODE = {
  selector: 'ImportExpression',
  message: 'An actor imports statically, so that the import rules apply.',
};

/** Rules that need types (tsgolint), and those that find mistakes or fix the style of types. */
const TYPESCRIPT = {
  'no-array-constructor': 'error',
  'no-unused-expressions': 'error',
  'no-unused-vars': [
    'error',
    { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
  ],
  'no-var': 'error',
  'prefer-const': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  ...Object.fromEntries(
    [
      'await-thenable',
      'ban-ts-comment',
      'no-array-delete',
      'no-base-to-string',
      'no-duplicate-enum-values',
      'no-duplicate-type-constituents',
      'no-empty-object-type',
      'no-explicit-any',
      'no-extra-non-null-assertion',
      'no-for-in-array',
      'no-implied-eval',
      'no-misused-new',
      'no-misused-promises',
      'no-namespace',
      'no-non-null-asserted-optional-chain',
      'no-non-null-assertion',
      'no-redundant-type-constituents',
      'no-require-imports',
      'no-this-alias',
      'no-unnecessary-type-assertion',
      'no-unnecessary-type-constraint',
      'no-unsafe-argument',
      'no-unsafe-assignment',
      'no-unsafe-call',
      'no-unsafe-declaration-merging',
      'no-unsafe-enum-comparison',
      'no-unsafe-function-type',
      'no-unsafe-member-access',
      'no-unsafe-return',
      'no-unsafe-unary-minus',
      'no-wrapper-object-types',
      'only-throw-error',
      'prefer-as-const',
      'prefer-namespace-keyword',
      'prefer-promise-reject-errors',
      'prefer-readonly',
      'restrict-plus-operands',
      'triple-slash-reference',
      'unbound-method',
    ].map((name) => [`typescript/${name}`, 'error']),
  ),
  'typescript/no-floating-promises': [
    'error',
    { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'tap' }] },
  ],
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
};

/** The rules of React: those of hooks, and those of the React Compiler that hold without it. */
const HOOKS = {
  'react/rules-of-hooks': 'error',
  'react/exhaustive-deps': 'error',
  ...Object.fromEntries(
    [
      'static-components',
      'use-memo',
      'void-use-memo',
      'preserve-manual-memoization',
      'immutability',
      'globals',
      'refs',
      'set-state-in-effect',
      'error-boundaries',
      'purity',
      'set-state-in-render',
      'unsupported-syntax',
      'config',
      'gating',
    ].map((name) => [`react-rules/${name}`, 'error']),
  ),
};

export default defineConfig({
  plugins: ['typescript', 'react'],
  jsPlugins: [
    { name: 'syntax', specifier: './scripts/lint/syntax-rules.js' },
    { name: 'react-rules', specifier: 'eslint-plugin-react-hooks' },
  ],
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error', denyWarnings: true },
  ignorePatterns: [
    'dist/',
    'coverage/',
    'var/',
    'data/',
    '.tap/',
    'node_modules/',
    'http/openapi/generated.ts',
  ],
  overrides: [
    {
      files: ['**/*.ts', '**/*.tsx'],
      rules: {
        ...TYPESCRIPT,
        eqeqeq: 'error',
        'no-self-compare': 'error',
        'no-console': 'error',
        'syntax/restricted': ['error', ...SYNTAX, ...NO_TERMINATE],
        ...imports([]),
      },
    },

    // The core: pure.
    {
      files: ['src/core/**/*.ts', 'src/openjd/**/*.ts'],
      rules: {
        ...PURE,
        ...imports([], [{ regex: '^(?!\\.)', message: message.core }]),
        'syntax/restricted': [
          'error',
          ...SYNTAX,
          { selector: ':function[async=true]', message: 'The core is synchronous.' },
          { selector: 'ImportExpression', message: message.core },
        ],
      },
    },

    // Formats times and reads no clock.
    { files: ['src/core/timestamp.ts'], rules: { 'no-restricted-globals': 'off' } },

    // Adapters: each native or network library belongs to one folder.
    { files: ['src/adapters/lmdb/**/*.ts'], rules: imports(['lmdb']) },
    { files: ['src/adapters/nats/**/*.ts'], rules: imports(['nats']) },
    { files: ['src/adapters/discovery/**/*.ts'], rules: imports(['mdns']) },
    { files: ['src/adapters/identity/ldap/**/*.ts'], rules: imports(['ldap']) },
    { files: ['src/adapters/previews/**/*.ts'], rules: imports(['sharp']) },
    { files: ['src/adapters/regex/**/*.ts'], rules: imports(['regex']) },
    { files: ['src/adapters/identity/oidc/**/*.ts'], rules: imports(['oidc']) },
    { files: ['src/adapters/identity/tokens/**/*.ts'], rules: imports(['jwt']) },
    {
      files: ['src/adapters/yaml/**/*.ts', 'src/adapters/system/**/*.ts', 'bench/openjd.ts'],
      rules: imports(['yaml']),
    },

    {
      files: ['src/adapters/process/**/*.ts', 'test/adapters/process/**/*.ts'],
      rules: { 'syntax/restricted': ['error', ...SYNTAX] },
    },

    // Actors: handlers are pure, and import only messages.ts of each other.
    {
      files: [
        ...SERVICE_ACTORS.map((name) => `actors/service/${name}/**/*.ts`),
        ...AGENT_ACTORS.map((name) => `actors/agent/${name}/**/*.ts`),
      ],
      rules: {
        ...PURE,
        ...imports(
          [],
          [
            SERVICE_ACTOR_FILES,
            AGENT_ACTOR_FILES,
            { regex: '^node:', message: 'An actor does no I/O: it returns effects.' },
          ],
        ),
        'syntax/restricted': ['error', ...SYNTAX, ...NO_TERMINATE, DYNAMIC_NODE],
      },
    },

    // HTTP: one folder uses each engine.
    { files: ['http/**/*.ts'], rules: imports([], [ACTOR_FILES_FROM_HTTP]) },
    { files: ['http/server/uws/**/*.ts'], rules: imports(['uws'], [ACTOR_FILES_FROM_HTTP]) },
    { files: ['http/server/node/**/*.ts'], rules: imports(['ws'], [ACTOR_FILES_FROM_HTTP]) },
    { files: ['http/openapi/**/*.ts'], rules: imports(['yaml'], [ACTOR_FILES_FROM_HTTP]) },

    // The library: its event channel runs without a browser, and its files are the exports of the package.
    {
      files: ['client/package/**/*.ts'],
      rules: {
        ...imports(['ws']),
        'syntax/restricted': [
          'error',
          ...SYNTAX.filter(({ message: text }) => text !== message.barrel),
          ...NO_TERMINATE,
        ],
      },
    },

    // The web application: types of other folders, the API client, and React in .tsx files.
    {
      files: ['client/*.ts', 'client/events/**/*.ts', 'web/**/*.ts', 'web/**/*.tsx'],
      rules: imports([], [WEB_BOUNDS]),
    },
    {
      files: ['web/pages/submit/model/read-document.ts', 'web/pages/job/model/read-yaml.ts'],
      rules: imports(['yaml'], [WEB_BOUNDS]),
    },
    {
      files: ['web/**/*.tsx', 'web/**/use-*.ts'],
      rules: HOOKS,
    },
    {
      files: ['web/**/*.tsx'],
      rules: {
        'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      },
    },

    // Commands and benchmarks print; tests and benchmarks may import every layer.
    { files: ['cli/**/*.ts', 'daemons/**/*.ts'], rules: { 'no-console': 'off' } },
    {
      files: ['bench/**/*.ts', 'test/**/*.ts'],
      rules: {
        ...imports(['uws', 'lmdb', 'nats', 'regex', 'sharp', 'yaml']),
        'no-console': 'off',
        // A test asserts a parsed value as a whole.
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
      },
    },

    {
      files: ['test/kit/oidc/**/*.ts'],
      rules: imports(['uws', 'lmdb', 'nats', 'regex', 'sharp', 'yaml', 'oidc']),
    },

    // Type declarations of a package without types follow its exports.
    { files: ['**/*.d.ts'], rules: { 'syntax/restricted': 'off' } },

    // Scripts run before packages are installed: plain JavaScript with node modules only.
    {
      files: ['scripts/**/*.js', 'bin/**/*.js'],
      rules: {
        eqeqeq: 'error',
        'syntax/imports': [
          'error',
          {
            regex: '^(?!node:|\\.)',
            message: 'Scripts run before packages are installed: node modules only.',
          },
        ],
      },
    },
  ],
});
