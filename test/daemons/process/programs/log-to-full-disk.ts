import { closeSync, openSync } from 'node:fs';
import { createLogger } from '../../../../daemons/process/logging.ts';

/** Logs eight MiB to a standard error that takes nothing, then two lines to this file in its place. */
const [, , format, file = ''] = process.argv;
const logger = createLogger({ format: format === 'json' ? 'json' : 'text', level: 'info' }, 'test');
const filling = 'x'.repeat(1024);
for (let line = 0; line < 8 * 1024; line++) logger.info({ filling }, `line ${line}`);
closeSync(2);
// The lowest free descriptor is given.
if (openSync(file, 'a') !== 2) throw new Error('the file is not the standard error');
logger.info('lost, but what waits is written');
logger.info('the disk has room again');
process.stdout.write('alive\n');
