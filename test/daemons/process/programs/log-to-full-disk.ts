import { closeSync, openSync } from 'node:fs';
import { createLogger } from '../../../../daemons/process/logging.ts';

/** Logs 8 MiB to a blocked standard error, then reopens it as this file and logs two lines. */
const [, , format, file = ''] = process.argv;
const logger = createLogger({ format: format === 'json' ? 'json' : 'text', level: 'info' }, 'test');
const filling = 'x'.repeat(1024);
for (let line = 0; line < 8 * 1024; line++) logger.info({ filling }, `line ${line}`);
closeSync(2);
// `open` returns the lowest free descriptor.
if (openSync(file, 'a') !== 2) throw new Error('the file is not the standard error');
logger.info('lost, but the buffer is written');
logger.info('the disk has room again');
process.stdout.write('alive\n');
