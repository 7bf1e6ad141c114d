import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE_NAME = 'callsheet_watch.py';
const PRESETS = new URL('../../presets/', import.meta.url).pathname;
const SOURCE = join(PRESETS, 'kit', FILE_NAME);

/** Returns the paths of all preset files, sorted. */
export const presetFiles = () =>
  readdirSync(PRESETS, { recursive: true })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(PRESETS, name))
    .sort();

/**
 * Returns a preset with the present text of presets/kit/callsheet_watch.py in each embedded file of that name, whose
 * `data: |` must follow its `filename`. Throws if it does not.
 */
export function withWatch(text) {
  const watch = readFileSync(SOURCE, 'utf8').trimEnd().split('\n');
  const lines = text.split('\n');
  const result = [];
  for (let index = 0; index < lines.length; index++) {
    result.push(lines[index]);
    if (lines[index].trim() !== `filename: ${FILE_NAME}`) continue;
    const data = lines[++index] ?? '';
    if (data.trim() !== 'data: |') throw new Error(`"filename: ${FILE_NAME}" is not followed by "data: |"`);
    const margin = data.search(/\S/);
    result.push(data, ...watch.map((line) => (line === '' ? '' : ' '.repeat(margin + 2) + line)));
    while (index + 1 < lines.length && isInBlock(lines[index + 1], margin)) index++;
    if (index + 1 >= lines.length) result.push('');
  }
  return result.join('\n');
}

const isInBlock = (line, margin) => line.trim() === '' || line.search(/\S/) > margin;

/** Writes the present text of the watch file into all presets. Returns the paths of the presets that changed. */
export function copyWatch() {
  return presetFiles().filter((path) => {
    const before = readFileSync(path, 'utf8');
    const after = withWatch(before);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
}
