import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { ServiceUnavailable } from '../terminal/exit-codes.ts';
import { programVersion } from '../commands/program-version.ts';
import { verb } from '../grammar/verb.ts';
import { factLines } from '../output/facts.ts';
import { printResult } from '../output/output.ts';

/** `callsheet version`: prints the version of the program also if the server cannot be reached. */
export const versionVerb = verb<ClientOptions>({
  name: 'version',
  about: 'Show the version of this program and of the server.',
  run: async (_args, options) => {
    const context = contextOf(options);
    const { client, terminal, isForPrograms } = context;
    const version = programVersion();
    try {
      const server = await client.call('get', '/version');
      printResult(context, { client: version, server }, () =>
        factLines(
          [
            ['program', version],
            ['server', `${server.version} (API ${server.api}, ${client.url})`],
          ],
          terminal,
        ),
      );
    } catch (error) {
      if (error instanceof ServiceUnavailable && !isForPrograms)
        terminal.out(factLines([['program', version]], terminal));
      throw error;
    }
  },
});
