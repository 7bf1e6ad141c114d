import { environmentName, flagName } from '../../src/core/config/key-names.ts';
import { DAEMONS, type KeySet } from '../../src/core/config/keys.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(keys: KeySet): string[] {
  return [
    '| Key | Type | Default | Meaning |',
    '| --- | --- | --- | --- |',
    ...Object.entries(keys).map(([name, key]) => {
      const standard = key.default === '' ? `empty: ${key.defaultMeans ?? ''}` : `\`${key.default}\``;
      return `| \`${name}\` | ${cell(key.type.label)} | ${cell(standard)} | ${cell(key.description)} |`;
    }),
  ];
}

/** Returns the text of docs/configuration.md, made from the keys, so that it always matches the daemons. */
export function configurationReference(): string {
  const example = 'http.cors_origins';
  return [
    '# Configuration',
    '',
    '<!-- Made by `npm run generate` from src/core/config. Do not edit by hand. -->',
    '',
    'A key gets its value, weakest first, from its default, the file given with `--config FILE` (YAML), an environment',
    `variable or a flag: \`${example}\` is \`${environmentName(example)}\` in the environment and \`${flagName(example)}\``,
    'on the command line. In the file, `http.addr: x` and `addr: x` below `http:` are equivalent.',
    '',
    'Lists are comma-separated in variables and flags, and may be YAML sequences in the file. Durations are written `500ms`,',
    '`30s`, `5m`, `168h`. An empty environment variable counts as not set. The two daemons may share a file and an',
    'environment: each ignores the keys of the other there.',
    '',
    'An unknown key, or a value of the wrong type, ends the start with exit status 2. One line on standard error names',
    'the key and its source.',
    '',
    '## `callsheet server`',
    '',
    ...table(DAEMONS.server),
    '',
    '## `callsheet worker`',
    '',
    ...table(DAEMONS.worker),
    '',
    '## Client commands',
    '',
    'They read the address of the service from `--url`, else from the environment variable `SVC_URL`. The default is',
    '`http://127.0.0.1:8080`.',
    '',
  ].join('\n');
}
