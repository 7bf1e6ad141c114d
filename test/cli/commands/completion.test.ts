import { spawnSync } from 'node:child_process';
import type { Command, Option } from 'commander';
import { test } from 'tap';
import { standardVerbOf } from '../../../cli/grammar/noun-command.ts';
import { callsheetProgram } from '../../../cli/commands/program.ts';
import { runCallsheet } from '../run-callsheet.ts';

const HELP = ['-h', '--help'];

/** Returns every command of the program as its words, without the `help` command of commander. */
function* commandsOf(
  command: Command,
  words: readonly string[],
): Generator<readonly [Command, readonly string[]]> {
  yield [command, words];
  for (const inner of command.commands) yield* commandsOf(inner, [...words, inner.name()]);
}

const COMMANDS = [...commandsOf(await callsheetProgram(), ['callsheet'])];

test('a command line that begins with a command creates only that one, with the same help', async (t) => {
  const all = await callsheetProgram();
  for (const command of all.commands) {
    for (const name of [command.name(), ...command.aliases()]) {
      if (name === 'completion') continue;
      const alone = (await callsheetProgram(name)).commands;
      t.same(
        alone.map((each) => each.helpInformation()),
        [command.helpInformation()],
        name,
      );
    }
  }
  for (const first of [undefined, 'completion', 'help', '--help', 'job-list'])
    t.equal((await callsheetProgram(first)).commands.length, all.commands.length, String(first));
});

const takesValue = (option: Option): boolean => option.required || option.optional;

/** Returns the options of a command and of its parent commands, without those of the program. */
function optionsOf(command: Command): readonly Option[] {
  const { parent } = command;
  const above =
    parent === null || parent.parent === null
      ? []
      : optionsOf(parent).filter((option) => !standardVerbOf(parent)?.options.includes(option));
  const standard = standardVerbOf(command);
  return [
    ...command.options.filter(({ hidden }) => !hidden),
    ...(standard?.options ?? []).filter(({ hidden }) => !hidden),
    ...above.filter(({ long }) => !command.options.some((own) => own.long === long)),
  ];
}

interface Case {
  /** The words of the line; the last one is being completed. */
  readonly words: readonly string[];
  /** Expected suggestions; FILES stands for file names. */
  readonly offered: readonly string[];
}

const FILES = ['FILES'];

const isFile = (name: string): boolean => ['template', 'file', 'directory'].includes(name);

function casesOf(command: Command, words: readonly string[]): readonly Case[] {
  const options = optionsOf(command);
  const flags = options.flatMap(({ long, short }) => [...(short === undefined ? [] : [short]), long ?? '']);
  const cases: Case[] = [];
  if (command.name() !== 'server' && command.name() !== 'worker')
    cases.push({ words: [...words, '-'], offered: [...flags, ...HELP] });
  for (const option of options.filter(takesValue)) {
    const takesFile = isFile(/<(.*)>/.exec(option.flags)?.[1] ?? '');
    const offered = takesFile ? FILES : (option.argChoices ?? []);
    cases.push({ words: [...words, option.long ?? '', ''], offered });
    // Bash treats the equals sign as a word.
    cases.push({ words: [...words, option.long ?? '', '=', ''], offered });
    if (option.argChoices !== undefined)
      cases.push({
        words: [...words, option.long ?? '', offered[0]?.slice(0, 2) ?? ''],
        offered: offered.filter((one) => one.startsWith(offered[0]?.slice(0, 2) ?? '')),
      });
  }
  const before: string[] = [];
  for (const argument of command.registeredArguments) {
    const offered = isFile(argument.name()) ? FILES : (argument.argChoices ?? []);
    cases.push({ words: [...words, ...before, ''], offered });
    before.push('x');
    // The value of an option is not an argument.
    const [option] = options.filter(takesValue);
    if (option !== undefined) before.push(option.long ?? '', 'value');
  }
  return cases;
}

const BELOW: readonly Case[] = [
  ['callsheet'],
  ...COMMANDS.filter(([command]) => command.commands.length > 0).map(([, words]) => words),
].map((words) => {
  const [command] = COMMANDS.find(([, known]) => known.join(' ') === words.join(' ')) ?? [];
  const names = (command?.commands ?? []).map((inner) => inner.name());
  const hasHelp = words.length === 1 || words[1] === 'openjd';
  return { words: [...words, ''], offered: hasHelp ? [...names, 'help'] : names };
});

/** Returns the completions of each line, from one run of the shell. */
function offeredInBash(
  script: string,
  lines: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const quoted = (word: string): string => `'${word}'`;
  const calls = lines.map((words) =>
    [
      `COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; FOUND=`,
      '_callsheet',
      'echo "$FOUND${COMPREPLY[*]}"',
    ].join('\n'),
  );
  // With this option, the shell itself completes file names.
  const program = [script, 'compopt() { FOUND=FILES; }', 'set -u', ...calls].join('\n');
  const ran = spawnSync('bash', ['--norc'], { encoding: 'utf8', input: program });
  if (ran.stderr !== '' || ran.status !== 0) throw new Error(`bash: ${ran.stderr}`);
  return ran.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

test('bash completes every command, option and choice', async (t) => {
  const { out, code } = await runCallsheet(['completion', 'bash']);
  t.equal(code, 0);
  const cases = [...BELOW, ...COMMANDS.flatMap(([command, words]) => casesOf(command, words))];
  t.ok(cases.length > 150, `${cases.length} lines`);
  const offered = offeredInBash(
    out,
    cases.map(({ words }) => words),
  );
  t.equal(offered.length, cases.length);
  for (const [at, { words, offered: expected }] of cases.entries()) {
    t.same([...new Set(offered[at])].sort(), [...new Set(expected)].sort(), words.join(' '));
  }
});

test('bash completes the flags of the daemons, and nothing for unknown commands and arguments', async (t) => {
  const { out } = await runCallsheet(['completion', 'bash']);
  const lines = [
    ['callsheet', 'server', '--http-ad'],
    ['callsheet', 'worker', '--config', ''],
    ['callsheet', 'jobs', 'list', 'stray', 'words', ''],
    ['callsheet', 'nonsense', ''],
    ['callsheet', 'pools', 'set', 'a pool', '--max'],
    ['callsheet', 'openjd', 'check', '-', '--js'],
    ['callsheet', 'openjd', 'ch'],
    ['callsheet', 'jobs', 'list', '--status', '='],
    ['callsheet', 'jobs', '--status', 'pa'],
    ['callsheet', 'job', 'list', '--status', 'pa'],
    ['callsheet', 'products', 'get', '--js'],
    ['callsheet', '--url', 'http://a', 'jobs', 'wai'],
    ['callsheet', 'submit', '-p', 'A=$(touch it)', '--fa'],
  ];
  t.same(offeredInBash(out, lines), [
    ['--http-addr'],
    FILES,
    [],
    [],
    ['--max-concurrent'],
    ['--jsonl'],
    ['check'],
    ['pending', 'blocked', 'paused', 'running', 'completed', 'failed', 'canceled'],
    ['paused'],
    ['paused'],
    ['--json'],
    ['wait'],
    ['--farm', '--failure-limit'],
  ]);
});

/** Reports whether the shell is installed. */
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** Words that every completion script must contain. */
const WORDS = COMMANDS.flatMap(([command]) => [
  command.name(),
  ...command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, argChoices }) => [(long ?? '').slice(2), ...(argChoices ?? [])]),
  ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
]);

test('the script for zsh contains every word and parses', async (t) => {
  const { out } = await runCallsheet(['completion', 'zsh']);
  t.match(out, /^#compdef callsheet\n/);
  for (const word of WORDS) t.ok(out.includes(word), word);
  // The script uses only syntax that bash can parse too.
  for (const shell of ['bash', 'zsh'].filter(has)) {
    t.same(spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' }).stderr, '', shell);
  }
});

test('the script for fish contains every word and parses', async (t) => {
  const { out } = await runCallsheet(['completion', 'fish']);
  for (const word of WORDS) t.ok(out.includes(word), word);
  const lines = out.split('\n').map((line) => line.trim());
  const opened = lines.filter((line) => /^(function|for|if|switch) /.test(line)).length;
  t.equal(lines.filter((line) => line === 'end').length, opened, 'blocks are closed');
  for (const line of lines.filter((one) => one.startsWith('complete '))) {
    t.match(
      line,
      /^complete -c callsheet( -f|( -n '__callsheet_(in "[a-z -]+"|at "[a-z -]+" \d)')?( -[slad] ('([^'\\]|\\.)*'|[\w-]+)| -[xrF])+)$/,
    );
  }
  if (has('fish')) t.equal(spawnSync('fish', ['-n'], { input: out, encoding: 'utf8' }).stderr, '');
});

test('completion for an unknown shell is invalid usage', async (t) => {
  t.match(await runCallsheet(['completion', 'tcsh']), {
    code: 2,
    err: /Allowed choices are bash, zsh, fish/,
  });
  t.match(await runCallsheet(['completion']), { code: 2 });
});
