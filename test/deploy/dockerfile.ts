/** One instruction of a container file, with its stage. */
export interface Instruction {
  readonly stage: string;
  readonly name: string;
  readonly text: string;
}

/** A stage with its base image or stage. */
export interface Stage {
  readonly name: string;
  readonly from: string;
}

/**
 * Parses the features of a container file that this project uses: instructions, continued lines, comments and stages.
 */
export function readDockerfile(text: string): {
  readonly stages: readonly Stage[];
  readonly instructions: readonly Instruction[];
} {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Stage[] = [];
  const instructions: Instruction[] = [];
  for (const line of lines) {
    const match = /^([A-Z]+) +(.+)$/.exec(line);
    if (match === null) throw new Error(`not an instruction: ${line}`);
    const [, name = '', rest = ''] = match;
    if (name === 'FROM') {
      const from = /^(\S+) AS (\S+)$/.exec(rest);
      if (from === null) throw new Error(`a stage without a name: ${line}`);
      stages.push({ from: from[1] ?? '', name: from[2] ?? '' });
    } else {
      instructions.push({ stage: stages.at(-1)?.name ?? '', name, text: rest });
    }
  }
  return { stages, instructions };
}

/** Returns the sources and the target of a COPY, and its source stage; null for the build context. */
export function copyOf({ text }: Instruction): {
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
} {
  const words = text.split(/ +/);
  const flag = words[0]?.startsWith('--from=') === true ? words.shift() : undefined;
  const target = words.pop() ?? '';
  return { from: flag?.slice('--from='.length) ?? null, sources: words, target };
}
