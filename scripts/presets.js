import { parseArgs } from 'node:util';
import { copyWatch } from './presets/watch-copies.js';

const { values } = parseArgs({ options: { sync: { type: 'boolean', default: false } } });
if (values.sync) {
  const changed = copyWatch();
  process.stdout.write(changed.length === 0 ? 'All presets are up to date.\n' : `${changed.join('\n')}\n`);
}
