import { RecordedProcesses } from '../recorded-processes.ts';

/**
 * A small daemon for the tests of the supervisor: starts the bash script of its second argument as an attempt named by
 * its first, with the beat timeout (seconds) of its third, by a launcher when its fourth is `true`, with the fifth as
 * milliseconds of contact, if there is one, and writes its events as lines of JSON.
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
