import {
  isKnownExtension,
  KNOWN_EXTENSIONS,
  LANGUAGE_FEATURES,
  type SupportedFeatures,
} from '../../src/openjd/template/extensions.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { printable, type Terminal } from '../terminal/terminal.ts';

/** Returns the features of the given extensions, separated by commas; all known ones by default. */
export function featuresOf(given: string | undefined): SupportedFeatures {
  if (given === undefined) return LANGUAGE_FEATURES;
  const extensions = given.split(',').map((name) => {
    const word = name.trim();
    if (isKnownExtension(word)) return word;
    const known = KNOWN_EXTENSIONS.join(', ');
    throw new CommandError(EXIT.usage, `--extensions: ${printable(word)} is not one of ${known}`);
  });
  return { ...LANGUAGE_FEATURES, extensions };
}

/** Says on standard error why a farm can reject a template that is valid here. */
export function printFarmNotes(notes: readonly string[], terminal: Terminal): void {
  for (const note of notes) terminal.err(`note: ${note}\n`);
}
