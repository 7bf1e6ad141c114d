import { EXTRA_EXTENSIONS } from './extensions.ts';

/**
 * Returns why a farm can reject a template that is valid here, as sentences: extensions that an operator must admit, and names that
 * a service does not give (`SupportedFeatures`).
 */
export function farmNotes(extensions: ReadonlySet<string>, usesNamesAtCreation: boolean): readonly string[] {
  const extra = EXTRA_EXTENSIONS.filter((name) => extensions.has(name));
  const notes: string[] = [];
  if (extra.length > 0) {
    const them = extra.length === 1 ? 'it' : 'them';
    notes.push(
      `a farm rejects the ${extra.length === 1 ? 'extension' : 'extensions'} ${extra.join(' and ')} unless its operator lists ${them} in openjd.extra_extensions`,
    );
  }
  if (usesNamesAtCreation)
    notes.push('a farm rejects Job.Name and Step.Name in hostRequirements and parameterSpace');
  return notes;
}
