import { RecordedProcesses } from '../recorded-processes.ts';

/**
 * A small daemon for the tests of the supervisor. Arguments: attempt ID, bash script, beat timeout in seconds, `true`
 * to use a launcher, and optionally the contact time in milliseconds. Prints its events as lines of JSON.
 */
const [attempt = '', script = '', beatTimeout = '', launcher = '', contactMs = ''] = process.argv.slice(2);
const recorded = new RecordedProcesses(attempt, {
  beatTimeoutSeconds: Number(beatTimeout),
  launcher: launcher === 'true',
});
if (contactMs !== '') recorded.processes.contactLasts(Number(contactMs));
await recorded.open();
const run = recorded.bash(script);
await recorded.until((told) => {
  process.stdout.write(`${JSON.stringify(told)}\n`);
  return told.type === 'ended' && told.run === run ? told : null;
});
await recorded.close();
