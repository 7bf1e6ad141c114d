import { createLogger } from '../../../../daemons/process/logging.ts';

/** Logs hostile text, and a thousand warnings of one kind. */
const logger = createLogger({ format: process.argv[2] === 'json' ? 'json' : 'text', level: 'info' }, 'test');
logger.warn(
  { worker: 'a\u202eb\u009b2J' },
  'worker "x\u001b[2J" sent\n2026-01-01T00:00:00.000Z INFO test: stopped',
);
for (let n = 0; n < 1000; n++) logger.warn({ subject: `s${n}` }, `message ${n} is invalid`);
