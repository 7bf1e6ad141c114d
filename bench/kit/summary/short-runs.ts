/** A bench with settings for a short run. */
export interface ShortRun {
  readonly bench: string;
  readonly options: readonly string[];
  /** Its usual duration. */
  readonly seconds: number;
  /** Path in the repository that the bench requires, and how to get it. */
  readonly needs?: { readonly path: string; readonly remedy: string };
}

/** In order of importance: the last ones are skipped if no time is left. */
export const SHORT_RUNS: readonly ShortRun[] = [
  { bench: 'lease', options: ['--short'], seconds: 65 },
  { bench: 'idle', options: ['--seconds', '5'], seconds: 12 },
  { bench: 'submit', options: ['--repeat', '2', '--seconds', '1'], seconds: 35 },
  { bench: 'restart', options: ['--many-workers', '1000'], seconds: 35 },
  {
    bench: 'cluster',
    options: [
      '--workers',
      '16,256',
      '--seconds',
      '1',
      '--repetitions',
      '1',
      '--kills',
      '2',
      '--large-kills',
      '1',
      '--jobs',
      '1000',
      '--tasks',
      '100000',
    ],
    seconds: 90,
  },
  { bench: 'reads', options: ['--seconds', '1'], seconds: 20 },
  { bench: 'auth', options: ['--seconds', '1', '--rounds', '1'], seconds: 25 },
  { bench: 'memory', options: ['--jobs', '1000', '--tasks', '300000', '--workers', '300'], seconds: 20 },
  { bench: 'processes', options: ['--cores', '16', '--tasks', '500'], seconds: 8 },
  {
    bench: 'peers',
    options: [
      ...['--systems', 'callsheet,bullmq-always,bullmq-everysec', '--workers', '256'],
      ...['--tasks', '5000', '--repetitions', '1'],
    ],
    seconds: 20,
    needs: { path: '.bench-peers', remedy: 'npm run bench -- peers --install' },
  },
  {
    bench: 'bus-auth',
    options: [
      ...['--workers', '64', '--repetitions', '1', '--seconds', '1'],
      ...['--starts', '2', '--connected', '200', '--settle', '1'],
    ],
    seconds: 40,
  },
  { bench: 'isolation', options: ['--starts', '5'], seconds: 15 },
  {
    bench: 'log-appends',
    options: ['--seconds', '1', '--waiting', '1,16', '--offered', '200'],
    seconds: 25,
  },
  { bench: 'turns', options: ['--milliseconds', '500'], seconds: 4 },
  { bench: 'explain', options: ['--workers', '1000', '--jobs', '200', '--requests', '50'], seconds: 8 },
  { bench: 'openjd', options: ['--milliseconds', '100'], seconds: 5 },
  { bench: 'expr', options: ['--milliseconds', '50'], seconds: 4 },
  { bench: 'expr-fuzz', options: ['--expressions', '5000'], seconds: 5 },
  { bench: 'lists', options: ['--jobs', '2000', '--tasks', '200000', '--requests', '20'], seconds: 10 },
  { bench: 'logs', options: ['--rounds', '1', '--seconds', '2'], seconds: 14 },
  { bench: 'websocket', options: ['--clients', '2000', '--seconds', '2'], seconds: 25 },
  {
    bench: 'simulate',
    options: ['--workers', '200', '--task-seconds', '2', '--seconds', '5', '--settle', '2'],
    seconds: 15,
  },
  { bench: 'worker-idle', options: ['--seconds', '3', '--tasks', '40', '--settle', '2'], seconds: 15 },
  {
    bench: 'backup',
    options: [
      ...['--jobs', '500', '--tasks', '50000', '--workers', '16'],
      ...['--rounds', '1', '--seconds', '3'],
    ],
    seconds: 15,
  },
  {
    bench: 'web',
    options: ['--jobs', '200', '--seconds', '2', '--repetitions', '1'],
    seconds: 25,
    needs: { path: '/usr/bin/chromium', remedy: 'npm test installs it' },
  },
];
