/**
 * Reads the output of a test process: TAP as tap 21 prints it, with four spaces of indentation for each subtest level. The
 * counts are those of tap, from its closing comment `# { total: 12, pass: 11, fail: 1 }`. The rest serves the report of
 * failures.
 */

/** A group process announces each of its files with these comments (run-group.js). */
export const GROUP_START = 'group-file-start ';
export const GROUP_END = 'group-file-end ';
const START_LINE = `# ${GROUP_START}`;
const END_LINE = `# ${GROUP_END}`;

/** Maximum number of lines of other output in the report of a failed file. */
const OTHER_LINES = 80;

export const NO_COUNTS = { total: 0, passed: 0, failed: 0, skipped: 0 };

/** Parses counts of leaf assertions. tap leaves out counts of zero. */
function parseCounts(text) {
  const count = (name) => Number(new RegExp(`\\b"?${name}"?: ?([0-9]+)`).exec(text)?.[1] ?? 0);
  return { total: count('total'), passed: count('pass'), failed: count('fail'), skipped: count('skip') };
}

/** Output of one test file. */
class FileOutput {
  /** Descriptions of the failures: the names of the tests, and tap's YAML block. */
  failures = [];
  /** Comments of tests, and lines that are not TAP: the latest ones. */
  others = [];
  /** Counts of tap, or undefined if the output ended before them. */
  counts = undefined;
  /** Open subtests, outermost first, and whether one of their assertions has failed. */
  #open = [];
  /** Indentation of the YAML block that is being read. */
  #yamlIndent = undefined;
  #keepsYaml = false;

  addLine(line) {
    const text = line.trimStart();
    const indent = line.length - text.length;
    if (this.#yamlIndent !== undefined) {
      if (this.#keepsYaml) this.failures.push(line);
      if (indent === this.#yamlIndent && text === '...') this.#yamlIndent = undefined;
    } else if (text === '---' && indent % 4 === 2) {
      this.#yamlIndent = indent;
      if (this.#keepsYaml) this.failures.push(line);
    } else if (text !== '') {
      this.#keepsYaml = false;
      this.#addStatement(text, Math.floor(indent / 4), line);
    }
  }

  #addStatement(text, depth, line) {
    const subtest = /^# Subtest: (.*)$/.exec(text)?.[1];
    const point = /^(not )?ok \d+(?: - (.*))?$/.exec(text);
    if (subtest !== undefined) {
      this.#open.length = Math.min(this.#open.length, depth);
      this.#open.push({ name: subtest, hasFailed: false });
    } else if (point !== null) {
      const [, not, name = ''] = point;
      if (not !== undefined) this.#addFailure(name, depth);
      this.#open.length = Math.min(this.#open.length, depth);
    } else if (depth === 0 && /^# \{ total: .* \}$/.test(text)) {
      this.counts = parseCounts(text);
    } else if (!/^(TAP version \d+|1\.\.\d+.*|# time=[0-9.]+ms)$/.test(text)) {
      this.others.push(line);
      if (this.others.length > OTHER_LINES) this.others.shift();
    }
  }

  /** A subtest fails along with its assertions: only the innermost failure is described. */
  #addFailure(name, depth) {
    if (this.#open[depth]?.hasFailed === true) return;
    const parents = this.#open.slice(0, depth);
    for (const parent of parents) parent.hasFailed = true;
    this.failures.push(`not ok - ${[...parents.map((parent) => parent.name), name].join(' > ')}`);
    this.#keepsYaml = true;
  }
}

/** Splits the output of a test process into lines, and those of a group into files. */
export class TapOutput {
  /** Output by file, in the order of their start. Files of a group that have not started are missing. */
  files = new Map();
  /** Seconds by file of a group. */
  seconds = new Map();
  /** The file that is running, or the last one. */
  current;
  #group;
  #rest = '';
  #startedAt = 0;

  /** @param {readonly string[]} files of the process; more than one if they are a group */
  constructor(files) {
    this.#group = files.length > 1;
    if (!this.#group) this.#start(files[0]);
  }

  add(chunk) {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#addLine(line);
  }

  /** Handles a last line without its end. */
  end() {
    if (this.#rest !== '') this.#addLine(this.#rest);
    this.#rest = '';
  }

  #start(file) {
    this.current = file;
    this.#startedAt = Date.now();
    this.files.set(file, new FileOutput());
  }

  #addLine(line) {
    if (this.#group && line.startsWith(START_LINE)) {
      this.#start(line.slice(START_LINE.length));
    } else if (this.#group && line.startsWith(END_LINE)) {
      const output = this.files.get(this.current);
      if (output !== undefined) output.counts = parseCounts(line);
      this.seconds.set(this.current, (Date.now() - this.#startedAt) / 1000);
    } else {
      const output = this.files.get(this.current);
      // The closing counts of the group are those of all its files.
      if (output !== undefined && !(this.#group && line.startsWith('# { total: '))) output.addLine(line);
    }
  }
}

/** Adds counts of files. */
export function sumCounts(all) {
  return all.reduce(
    (sum, counts) => ({
      total: sum.total + counts.total,
      passed: sum.passed + counts.passed,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
    }),
    NO_COUNTS,
  );
}
