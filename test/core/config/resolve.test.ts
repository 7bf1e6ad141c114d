import { test } from 'tap';
import { DENIED_VARIABLES } from '../../../src/core/access/denied-variables.ts';
import { readFlags } from '../../../src/core/config/flags.ts';
import { environmentName, flagName } from '../../../src/core/config/key-names.ts';
import { DAEMONS, type KeySet } from '../../../src/core/config/keys.ts';
import { nearestName } from '../../../src/core/config/nearest-name.ts';
import type { ConfigSources } from '../../../src/core/config/resolve.ts';
import { serverConfig } from '../../../src/core/config/server-config.ts';
import { workerConfig } from '../../../src/core/config/worker-config.ts';

const MACHINE = { hostName: 'node-7.farm', cpuCount: 8, memoryMib: 16_000, temporaryDirectory: '/tmp' };

/** Returns sources with only the given content. */
function sources(given: {
  document?: unknown;
  environment?: Record<string, string>;
  args?: string[];
}): ConfigSources {
  const flags = readFlags(given.args ?? []);
  if (!flags.ok) throw new Error(flags.lines.join('\n'));
  return {
    file: 'document' in given ? { path: 'callsheet.yaml', document: given.document } : null,
    environment: given.environment ?? {},
    flags: flags.flags,
  };
}

/** Returns the errors in the sources of a server. */
function serverLines(given: Parameters<typeof sources>[0]): readonly string[] {
  const resolved = serverConfig(sources(given));
  return resolved.ok ? [] : resolved.lines;
}

function workerLines(given: Parameters<typeof sources>[0]): readonly string[] {
  const resolved = workerConfig(sources(given), MACHINE);
  return resolved.ok ? [] : resolved.lines;
}

test('the server has its defaults', async (t) => {
  t.same(serverConfig(sources({})), {
    ok: true,
    notes: [],
    values: {
      http: {
        addr: { host: '0.0.0.0', port: 8080 },
        engine: 'auto',
        corsOrigins: [],
        allowedHosts: [],
        publicUrl: null,
        rateLimit: { rps: 20, burst: 40 },
        connectionsPerClient: 1000,
        bodies: { perClient: 67_108_864, total: 268_435_456 },
        trustProxy: false,
        enablePprof: false,
        pprofAddr: null,
        accessLog: null,
      },
      web: { jobLinks: [] },
      auth: {
        enabled: false,
        bootstrap: null,
        session: { cookieName: 'svc_session', cookieSecure: 'auto', ttlMs: 168 * 3_600_000 },
        validateJobOwner: true,
        slowsFailedLogins: true,
        passwordLengthMin: 8,
        oidc: null,
        audit: {
          isOn: false,
          retentionMs: 90 * 86_400_000,
          entries: { people: 1_000_000, strangers: 100_000, service: 100_000 },
        },
        ldap: null,
      },
      data: { dir: './data', compactFreePercent: 50 },
      bus: {
        urls: [],
        addr: { host: '127.0.0.1', port: 14222 },
        serverPath: 'nats-server',
        stopsWithService: false,
        isSingleServer: true,
        access: null,
        replicas: null,
        streamAccess: null,
        authentication: null,
      },
      cluster: null,
      discovery: null,
      scheduler: {
        heartbeatTimeoutMs: 30_000,
        reclaimAfterMs: 30_000,
        maxAttempts: 3,
        retryDelaySeconds: 10,
        failureLimit: 0,
        unschedulableGraceMs: 30_000,
        reservationAfterMs: 300_000,
        jobRetentionMs: 0,
        jobRetentionIncludeFailed: false,
        maxWorkersPerFarm: 10_000,
        workerRetentionMs: 86_400_000,
        shards: 1,
      },
      products: { folder: null, presetsFolder: null },
      pools: { sources: new Map(), intervalMs: 30_000, timeoutMs: 10_000, maxAgeMs: 300_000 },
      webhooks: {
        allowPrivate: { names: [], networks: [] },
        formatFolder: null,
        retryForMs: 86_400_000,
        poolExhaustedAfterMs: 600_000,
      },
      openjd: {
        maxTasksPerStep: 1_000_000,
        exprMemoryBytes: 1_000_000,
        exprSubmissionDeadlineMs: 5_000,
        extraExtensions: [],
      },
      events: { replayDepth: 1000 },
      diagnostics: { bufferSize: 1000 },
      logs: { maxBytesPerTask: 67_108_864 },
      log: { format: 'json', level: 'info' },
    },
  });
});

test('the defaults of a worker depend on its machine', async (t) => {
  t.same(workerConfig(sources({}), MACHINE), {
    ok: true,
    notes: [],
    values: {
      bus: { urls: ['nats://127.0.0.1:14222'], hasUrls: false, access: null },
      discovery: null,
      worker: {
        name: 'node-7.farm',
        farm: '',
        queues: [],
        cpus: 8,
        memoryMib: 16_000,
        amounts: {},
        gpus: null,
        computeLocation: '',
        tags: {},
        detectApplications: true,
        dir: '/tmp/callsheet-worker-node-7%2Efarm',
        join: null,
        credentialsFile: '/tmp/callsheet-worker-node-7%2Efarm/bus-credentials.json',
        logSpoolBytes: 67_108_864,
        sessionLingerMs: 5_000,
        keepSessions: false,
        previews: false,
        drainTimeoutMs: 30_000,
        allowRoot: false,
      },
      openjd: { exprMemoryBytes: 1_000_000 },
      isolation: {
        enabled: true,
        envPassthrough: [],
        defaultUser: '',
        envDeny: [...DENIED_VARIABLES],
        limits: 'auto',
        memoryFactor: 1,
        pidsMax: 4096,
        wholeCores: false,
        network: 'open',
        diskQuotaBytes: 0,
        privateTmp: false,
        hideProcesses: false,
        noNewPrivileges: false,
      },
      diagnostics: { enabled: true },
      log: { format: 'json', level: 'info' },
    },
  });
  const named = workerConfig(sources({ environment: { SVC_WORKER_NAME: '../x' } }), MACHINE);
  t.equal(named.ok && named.values.worker.dir, '/tmp/callsheet-worker-%2E%2E%2Fx');
});

test('flags override the environment, which overrides the file, which overrides the default', async (t) => {
  const document = { data: { dir: 'file' }, 'log.level': 'warn', scheduler: { shards: 2 } };
  const environment = { SVC_DATA_DIR: 'environment', SVC_LOG_LEVEL: 'error' };
  const resolved = serverConfig(sources({ document, environment, args: ['--data-dir', 'flag'] }));
  t.equal(resolved.ok && resolved.values.data.dir, 'flag');
  t.equal(resolved.ok && resolved.values.log.level, 'error');
  t.equal(resolved.ok && resolved.values.scheduler.shards, 2);
});

test('a worker with discovery searches for the service unless a bus URL is set', async (t) => {
  const discoveryOf = (args: string[]): unknown => {
    const resolved = workerConfig(sources({ args }), MACHINE);
    return resolved.ok ? resolved.values.discovery : resolved.lines;
  };
  const interfaces = '--discovery-interfaces=127.0.0.1,10.0.0.4';
  t.same(discoveryOf(['--discovery-enabled', '--discovery-name=show', interfaces]), {
    name: 'show',
    interfaces: ['127.0.0.1', '10.0.0.4'],
  });
  t.equal(discoveryOf(['--discovery-enabled', '--bus-url=nats://127.0.0.1:14222']), null);
  t.equal(discoveryOf(['--discovery-name=show']), null);
  t.same(discoveryOf(['--discovery-name=', '--discovery-interfaces=eth0']), [
    'discovery.name: must be 1 to 63 characters without control characters, got "" (set in the flag --discovery-name)',
    'discovery.interfaces: must be an IPv4 address, got "eth0" (set in the flag --discovery-interfaces)',
  ]);
});

test('an empty variable is ignored', async (t) => {
  t.same(
    serverLines({ environment: { SVC_HTTP_ADDR: '', SVC_AUTH_LDAP_ENABLED: '', SVC_NONSENSE: '' } }),
    [],
  );
});

test('an invalid value is reported with its key and source', async (t) => {
  t.same(
    serverLines({
      document: { http: { addr: 'nowhere' } },
      environment: { SVC_SCHEDULER_MAX_ATTEMPTS: 'many' },
      args: ['--log-level=loud'],
    }),
    [
      'http.addr: must be HOST:PORT (an IPv6 address in brackets), got "nowhere" (set in the file callsheet.yaml)',
      'scheduler.max_attempts: must be an integer from 1 to 65535, got "many" (set in the environment variable SVC_SCHEDULER_MAX_ATTEMPTS)',
      'log.level: must be one of debug, info, warn, error, got "loud" (set in the flag --log-level)',
    ],
  );
  t.same(serverLines({ environment: { SVC_HTTP_CORS_ORIGINS: 'https://a.example/' } }), [
    'http.cors_origins: must be scheme://host[:port] without a trailing slash, path, query, fragment, blank or embedded *, or the bare *, got "https://a.example/" (set in the environment variable SVC_HTTP_CORS_ORIGINS)',
  ]);
});

test('an unknown key is reported with the most similar name', async (t) => {
  t.same(
    serverLines({
      document: { http: { adr: 'x:1' }, colour: 'red' },
      environment: { SVC_HTTP_ADR: 'x:1', OTHER_HTTP_ADR: 'x:1' },
      args: ['--http-adress', 'x:1'],
    }),
    [
      'http.adr: no such key, did you mean http.addr? (set in the file callsheet.yaml)',
      'colour: no such key (set in the file callsheet.yaml)',
      'SVC_HTTP_ADR: no such key, did you mean SVC_HTTP_ADDR? (set in the environment variable SVC_HTTP_ADR)',
      '--http-adress: no such key, did you mean --http-addr? (set in the flag --http-adress)',
    ],
  );
});

test('keys of the other daemon are ignored in shared sources and rejected as flags', async (t) => {
  const document = { worker: { name: 'w1' }, data: { dir: '/d' } };
  const environment = {
    SVC_WORKER_ALLOW_ROOT: 'true',
    SVC_DATA_DIR: '/d',
    SVC_URL: 'http://x',
    SVC_API_KEY: 'k',
  };
  t.same(serverLines({ document, environment }), []);
  t.same(workerLines({ document, environment }), []);
  t.same(serverLines({ args: ['--worker-name', 'w1'] }), [
    '--worker-name: is a flag of callsheet worker (set in the flag --worker-name)',
  ]);
});

test('the folders of definition files are absent unless they are set', async (t) => {
  const products = (args: string[]): unknown => {
    const resolved = serverConfig(sources({ args }));
    return resolved.ok ? resolved.values.products : resolved.lines;
  };
  t.same(products([]), { folder: null, presetsFolder: null });
  t.same(products(['--products-dir=/products', '--presets-dir=/presets']), {
    folder: '/products',
    presetsFolder: '/presets',
  });
});

test('receivers of webhooks in private networks are networks or names', async (t) => {
  const allowed = (text: string): unknown => {
    const resolved = serverConfig(sources({ args: [`--webhooks-allow-private=${text}`] }));
    return resolved.ok ? resolved.values.webhooks.allowPrivate : resolved.lines;
  };
  t.same(allowed(''), { names: [], networks: [] });
  t.match(allowed('10.0.0.0/8,Chat.local,::1'), {
    names: ['chat.local'],
    networks: [{ prefix: 104 }, { prefix: 128 }],
  });
  for (const wrong of ['10.0.0.0/33', '*.local', '300.1.1.1', 'a b', 'http://chat'])
    t.match(allowed(wrong), [/webhooks.allow_private: must be addresses, networks or host names/], wrong);
});

test('the first administrator needs a name and one password', async (t) => {
  const both = { SVC_AUTH_BOOTSTRAP_USERNAME: 'ada', SVC_AUTH_BOOTSTRAP_PASSWORD: 'a secret of Ada' };
  t.match(serverConfig(sources({ environment: both })), {
    ok: true,
    values: {
      auth: { enabled: false, bootstrap: { username: 'ada', password: { text: 'a secret of Ada' } } },
    },
  });
  t.match(
    serverConfig(sources({ document: { auth: { bootstrap: { username: 'ada', password_file: '/p' } } } })),
    {
      ok: true,
      values: { auth: { bootstrap: { username: 'ada', password: { file: '/p' } } } },
    },
  );
  const half = 'must be set, because the other half of the first administrator is set';
  t.same(serverLines({ environment: { SVC_AUTH_BOOTSTRAP_USERNAME: 'ada' } }), [
    `auth.bootstrap.password: ${half}`,
  ]);
  t.same(serverLines({ environment: { SVC_AUTH_BOOTSTRAP_PASSWORD: 'a secret of Ada' } }), [
    `auth.bootstrap.username: ${half}`,
  ]);
  t.same(serverLines({ environment: { ...both, SVC_AUTH_BOOTSTRAP_PASSWORD_FILE: '/p' } }), [
    'auth.bootstrap.password: cannot be set together with auth.bootstrap.password_file',
  ]);
  for (const name of ['', 'a b', 'a;b', 'a=b', 'ü'])
    t.match(
      serverLines({ document: { auth: { session: { cookie_name: name } } } })[0],
      /^auth.session.cookie_name: must be /,
    );
});

test('the expression limits of server and worker have the same names, and only the server has a deadline', async (t) => {
  const environment = { SVC_OPENJD_EXPR_MEMORY_LIMIT: '5' };
  const server = serverConfig(sources({ environment, args: ['--openjd-expr-submission-deadline=1ms'] }));
  t.match(server, {
    ok: true,
    notes: [],
    values: { openjd: { exprMemoryBytes: 5, exprSubmissionDeadlineMs: 1 } },
  });
  t.match(workerConfig(sources({ environment }), MACHINE), {
    ok: true,
    notes: [],
    values: { openjd: { exprMemoryBytes: 5 } },
  });
  t.same(
    serverConfig(sources({ document: { openjd: { expr_memory_limit: 0, expr_submission_deadline: '0s' } } })),
    {
      ok: false,
      lines: [
        'openjd.expr_memory_limit: must be an integer from 1 to 1000000000, got 0 (set in the file callsheet.yaml)',
        'openjd.expr_submission_deadline: must be from 1ms to 1h, got "0s" (set in the file callsheet.yaml)',
      ],
    },
  );
  t.match(workerConfig(sources({ args: ['--openjd-expr-submission-deadline=1s'] }), MACHINE), {
    lines: [
      '--openjd-expr-submission-deadline: is a flag of callsheet server (set in the flag --openjd-expr-submission-deadline)',
    ],
  });
});

test('the rate limit of the contract applies unless it is turned off', async (t) => {
  const httpOf = (args: string[]): unknown => {
    const resolved = serverConfig(sources({ args }));
    return resolved.ok && [resolved.values.http.rateLimit, resolved.values.http.trustProxy];
  };
  t.same(httpOf([]), [{ rps: 20, burst: 40 }, false]);
  t.same(httpOf(['--http-rate-limit-rps=5', '--http-rate-limit-burst=7', '--http-trust-proxy']), [
    { rps: 5, burst: 7 },
    true,
  ]);
  t.same(httpOf(['--http-rate-limit-enabled=false']), [null, false]);
  t.same(serverLines({ args: ['--http-rate-limit-rps=0', '--http-rate-limit-burst=1.5'] }), [
    'http.rate_limit.rps: must be an integer from 1 to 100000, got "0" (set in the flag --http-rate-limit-rps)',
    'http.rate_limit.burst: must be an integer from 1 to 1000000, got "1.5" (set in the flag --http-rate-limit-burst)',
  ]);
});

test('flags can have a value as the next argument, after "=", or none', async (t) => {
  t.same(readFlags(['--config', 'c.yaml', '--a-b=1', '--c', '--d', 'x y', '--e=']), {
    ok: true,
    configFile: 'c.yaml',
    flags: [
      { flag: '--a-b', value: '1' },
      { flag: '--c', value: null },
      { flag: '--d', value: 'x y' },
      { flag: '--e', value: '' },
    ],
  });
  t.same(readFlags(['stray', '-x', '--config']), {
    ok: false,
    lines: [
      '"stray": unexpected argument; the command takes only flags',
      '"-x": unexpected argument; the command takes only flags',
      '--config: needs the path of a file',
    ],
  });
  const alone = workerConfig(sources({ args: ['--worker-allow-root'] }), MACHINE);
  t.equal(alone.ok && alone.values.worker.allowRoot, true);
  t.same(workerLines({ args: ['--worker-name'] }), [
    'worker.name: needs a value (set in the flag --worker-name)',
  ]);
});

test('a file must contain a map', async (t) => {
  t.same(serverLines({ document: null }), []);
  t.same(serverLines({ document: ['http.addr'] }), [
    'the file callsheet.yaml must hold a map of keys to values',
  ]);
  t.same(serverLines({ document: 'text' }), ['the file callsheet.yaml must hold a map of keys to values']);
});

test('names are unique in every spelling', async (t) => {
  const names = [...new Set(Object.values(DAEMONS).flatMap((keys) => Object.keys(keys)))];
  t.equal(environmentName('http.cors_origins'), 'SVC_HTTP_CORS_ORIGINS');
  t.equal(flagName('http.cors_origins'), '--http-cors-origins');
  t.equal(new Set(names.map(environmentName)).size, names.length);
  t.equal(new Set(names.map(flagName)).size, names.length);
});

test('a suggested name is similar, or there is none', async (t) => {
  t.equal(nearestName('bus.urll', ['bus.url', 'bus.addr']), 'bus.url');
  t.equal(nearestName('x', ['y']), null);
  t.equal(nearestName('completely.else', ['bus.url', 'bus.addr']), null);
  t.equal(nearestName('a'.repeat(101), ['a'.repeat(100)]), null);
});

test('the replay depth of events is at least 1', async (t) => {
  t.match(serverConfig(sources({ environment: { SVC_EVENTS_REPLAY_DEPTH: '7' } })), {
    ok: true,
    values: { events: { replayDepth: 7 } },
  });
  t.match(serverConfig(sources({ args: ['--events-replay-depth=0'] })), {
    ok: false,
    lines: [/^events\.replay_depth: .* \(set in the flag --events-replay-depth\)$/],
  });
});

test('the buffer size of the diagnostics is 0 or more', async (t) => {
  t.match(serverConfig(sources({ environment: { SVC_DIAGNOSTICS_BUFFER_SIZE: '0' } })), {
    ok: true,
    values: { diagnostics: { bufferSize: 0 } },
  });
  const negative = serverConfig(sources({ args: ['--diagnostics-buffer-size=-1'] }));
  t.match(negative, {
    ok: false,
    lines: [/^diagnostics\.buffer_size: .* \(set in the flag --diagnostics-buffer-size\)$/],
  });
});

test('the access to the bus is read from its keys, and secrets from files', async (t) => {
  const document = {
    bus: {
      url: 'tls://bus.farm',
      user: 'farm',
      password_file: '/etc/callsheet/bus.password',
      tls: { ca_file: '/etc/ca.pem', cert_file: '/etc/cert.pem', key_file: '/etc/key.pem' },
    },
  };
  const access = {
    user: 'farm',
    password: { file: '/etc/callsheet/bus.password' },
    token: null,
    credentialsFile: '',
    tls: { caFile: '/etc/ca.pem', certFile: '/etc/cert.pem', keyFile: '/etc/key.pem' },
  };
  t.match(serverConfig(sources({ document })), { ok: true, values: { bus: { access } } });
  t.match(workerConfig(sources({ document }), MACHINE), { ok: true, values: { bus: { access } } });
  t.match(workerConfig(sources({ environment: { SVC_BUS_TOKEN: 's3cret' } }), MACHINE), {
    ok: true,
    values: { bus: { access: { token: { text: 's3cret' }, password: null, tls: null } } },
  });
  t.match(workerConfig(sources({ args: ['--bus-credentials-file', 'farm.creds'] }), MACHINE), {
    ok: true,
    values: { bus: { access: { credentialsFile: 'farm.creds' } } },
  });
});

test('a secret has a file key and no flag, and its value is not shown', async (t) => {
  const secrets = Object.entries(DAEMONS).flatMap(([daemon, keys]) => {
    const all: KeySet = keys;
    return Object.entries(all).flatMap(([name, { type }]) =>
      type.isSecret === true ? [{ daemon, name, keys: all }] : [],
    );
  });
  t.ok(secrets.length >= 4, 'bus.password and bus.token of both daemons');
  for (const { daemon, name, keys } of secrets) {
    t.ok(keys[`${name}_file`], `${name}_file of ${daemon}`);
    t.not(keys[`${name}_file`]?.type.isSecret, true, `${name}_file is a path`);
    // It is used up at once, and the daemon clears it from its arguments.
    if (name === 'worker.join') continue;
    const lines = daemon === 'server' ? serverLines : workerLines;
    for (const args of [[`${flagName(name)}=hunter2`], [flagName(name), 'hunter2'], [flagName(name)]])
      t.ok(
        lines({ args }).includes(
          `${name}: a secret has no flag, because command lines are public; set ${name}_file or the environment variable ${environmentName(name)} (set in the flag ${flagName(name)})`,
        ),
        args.join(' '),
      );
    t.notMatch(lines({ args: [`${flagName(name)}=hunter2`] }).join('\n'), /hunter2/);
  }
});

test('a join token has a flag, and its value is not shown', async (t) => {
  const joinOf = (args: string[]): unknown => {
    const resolved = workerConfig(sources({ args }), MACHINE);
    return resolved.ok ? resolved.values.worker.join : resolved.lines;
  };
  for (const args of [['--join', 'csj1_x'], ['--join=csj1_x'], ['--worker-join', 'csj1_x']])
    t.strictSame(joinOf(args), { text: 'csj1_x' }, args.join(' '));
  t.strictSame(joinOf(['--worker-join-file', '/t']), { file: '/t' });
  const both = joinOf(['--join', 'csj1_x', '--worker-join-file', '/t']);
  t.strictSame(both, ['worker.join: cannot be set together with worker.join_file']);
  t.notMatch(JSON.stringify(joinOf(['--join', 'csj1_x\u0001'])), /csj1_x/);
});

test('a key with the name of a secret is marked as one', async (t) => {
  for (const keys of Object.values(DAEMONS)) {
    const all: KeySet = keys;
    for (const [name, { type }] of Object.entries(all))
      if (/(password|secret|token)$/.test(name)) t.equal(type.isSecret, true, name);
  }
});

test('hosts, the public URL and proxies are read from their keys', async (t) => {
  const httpOf = (args: string[]): unknown => {
    const resolved = serverConfig(sources({ args }));
    if (!resolved.ok) return resolved.lines;
    const { allowedHosts, publicUrl, trustProxy, pprofAddr } = resolved.values.http;
    return { allowedHosts, publicUrl, trustProxy, pprofAddr };
  };
  t.same(
    httpOf([
      '--http-allowed-hosts=Farm,*.studio.lan',
      '--http-public-url=https://farm.example/',
      '--http-trust-proxy=10.0.0.5',
      '--http-pprof-addr=127.0.0.1:6060',
    ]),
    {
      allowedHosts: ['farm', '*.studio.lan'],
      publicUrl: 'https://farm.example',
      trustProxy: [{ address: [0, 0, 0, 0, 0, 0xffff, 0x0a00, 5], prefix: 128 }],
      pprofAddr: { host: '127.0.0.1', port: 6060 },
    },
  );
  t.same(httpOf(['--http-allowed-hosts=farm:80', '--http-public-url=farm']), [
    'http.allowed_hosts: must be a host name, *.DOMAIN, an address or *, without a port, got "farm:80" (set in the flag --http-allowed-hosts)',
    'http.public_url: must be http://host[:port] or https://host[:port] without a path, got "farm" (set in the flag --http-public-url)',
  ]);
});

test('contradictions in the access to the bus stop the start, and secrets are not shown', async (t) => {
  const lines = (bus: Record<string, unknown>): readonly string[] =>
    workerLines({ document: { bus: { url: 'nats://farm', ...bus } } });
  t.same(lines({ password: 'a', password_file: 'b', user: 'u' }), [
    'bus.password: cannot be set together with bus.password_file',
  ]);
  t.same(lines({ user: 'u' }), [
    'bus.user: needs bus.password or bus.password_file, and these need bus.user',
  ]);
  t.same(lines({ password: 'p' }), [
    'bus.user: needs bus.password or bus.password_file, and these need bus.user',
  ]);
  t.same(lines({ token: 'a', credentials_file: 'b' }), [
    'bus.user, bus.token, bus.credentials_file and bus.nkey_file: only one of them can be set',
  ]);
  t.same(lines({ url: 'nats://u:p@farm', token: 'a' }), [
    'bus.url: contains a user or token in addition to bus.user, bus.token, bus.credentials_file or bus.nkey_file',
  ]);
  t.same(lines({ tls: { cert_file: 'c' } }), [
    'bus.tls.cert_file: bus.tls.cert_file and bus.tls.key_file must be set together',
  ]);
  t.same(lines({ token: 'hunter2\u0007' }), [
    'bus.token: must not hold control characters (set in the file callsheet.yaml)',
  ]);
  t.same(lines({ token: 4711 }), ['bus.token: must be text (set in the file callsheet.yaml)']);
  t.same(serverLines({ document: { bus: { token: 'a' } } }), [
    'bus.url: must be set for the other keys of the access to a NATS server: the managed server has none',
  ]);
});

test('the authentication of the bus and the access to the streams are read, and contradictions are named', (t) => {
  const bus = (flags: string[]) => serverConfig(sources({ args: flags }));
  t.match(bus(['--bus-auth-enabled=true', '--bus-public-url=tls://farm:4000']), {
    ok: true,
    values: {
      bus: {
        authentication: {
          credentialLifetimeMs: 30 * 24 * 3600 * 1000,
          publicUrls: ['tls://farm:4000'],
          certificates: null,
        },
        access: null,
      },
    },
  });
  const files = ['--bus-tls-ca-file=ca', '--bus-tls-cert-file=cert', '--bus-tls-key-file=key'];
  t.match(bus(['--bus-auth-enabled=true', ...files]), {
    ok: true,
    values: {
      bus: {
        authentication: { certificates: { caFile: 'ca', certFile: 'cert', keyFile: 'key' } },
        access: null,
      },
    },
  });
  t.match(bus(['--bus-auth-enabled=true', ...files.slice(1)]), {
    ok: false,
    lines: [
      'bus.tls.cert_file: the managed server needs bus.tls.ca_file, bus.tls.cert_file and bus.tls.key_file together',
    ],
  });
  t.match(bus(files), { ok: false, lines: [/^bus\.url: must be set/] });
  t.match(bus(['--bus-streams-nkey-file=a']), { ok: false, lines: [/^bus\.url: must be set/] });
  const external = ['--bus-url=nats://farm', '--bus-nkey-file=a'];
  t.match(bus([...external, '--bus-streams-nkey-file=b']), {
    ok: true,
    values: { bus: { access: { nkeyFile: 'a' }, streamAccess: { keys: 'bus.streams', nkeyFile: 'b' } } },
  });
  t.match(bus(external), {
    ok: true,
    values: { bus: { access: { nkeyFile: 'a' }, streamAccess: { nkeyFile: 'a' }, authentication: null } },
  });
  t.match(bus([...external, '--bus-streams-nkey-file=b', '--bus-streams-credentials-file=c']), {
    ok: false,
    lines: [
      'bus.streams.user, bus.streams.credentials_file and bus.streams.nkey_file: only one of them can be set',
    ],
  });
  t.match(bus([...external, '--bus-streams-user=b']), {
    ok: false,
    lines: [/^bus\.streams\.user: .* must be set together/],
  });
  t.end();
});

test('extensions that submissions may use are listed by name', async (t) => {
  const admitted = (args: readonly string[]): unknown => serverConfig(sources({ args: [...args] }));
  t.match(admitted(['--openjd-extra-extensions=WRAP_ACTIONS,FEATURE_BUNDLE_1,WRAP_ACTIONS']), {
    ok: true,
    values: { openjd: { extraExtensions: ['WRAP_ACTIONS', 'FEATURE_BUNDLE_1'] } },
  });
  t.match(admitted(['--openjd-extra-extensions=EXPR']), {
    ok: false,
    lines: [/^openjd\.extra_extensions: must be one of FEATURE_BUNDLE_1, WRAP_ACTIONS, got "EXPR"/],
  });
});
