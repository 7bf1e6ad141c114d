import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PRESETS = new URL('../../presets/', import.meta.url).pathname;
const KIT = join(PRESETS, 'kit');
/** The lines of each file of presets/kit, by the line of a preset that names the file. */
const SOURCES = new Map(
  readdirSync(KIT)
    .filter((name) => name.endsWith('.py'))
    .map((name) => [`filename: ${name}`, readFileSync(join(KIT, name), 'utf8').trimEnd().split('\n')]),
);

/** Returns the paths of all preset files, sorted. */
export const presetFiles = () =>
  readdirSync(PRESETS, { recursive: true })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(PRESETS, name))
    .sort();

/**
 * Returns a preset with the present texts of presets/kit in the embedded files of these names. The `data: |` of each
 * must follow its `filename`. Throws if it does not.
 */
export function withWatch(text) {
  const lines = text.split('\n');
  const result = [];
  for (let index = 0; index < lines.length; index++) {
    result.push(lines[index]);
    const source = SOURCES.get(lines[index].trim());
    if (source === undefined) continue;
    const filename = lines[index].trim();
    const data = lines[++index] ?? '';
    if (data.trim() !== 'data: |') throw new Error(`"${filename}" is not followed by "data: |"`);
    const margin = data.search(/\S/);
    result.push(data, ...source.map((line) => (line === '' ? '' : ' '.repeat(margin + 2) + line)));
    while (index + 1 < lines.length && isInBlock(lines[index + 1], margin)) index++;
    if (index + 1 >= lines.length) result.push('');
  }
  return result.join('\n');
}

const isInBlock = (line, margin) => line.trim() === '' || line.search(/\S/) > margin;

/** Writes the present texts of presets/kit into all presets. Returns the paths of the presets that changed. */
export function copyWatch() {
  return presetFiles().filter((path) => {
    const before = readFileSync(path, 'utf8');
    const after = withWatch(before);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
}
