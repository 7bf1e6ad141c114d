/** Formats a number of characters as bytes: `512 B`, `12.3 kB`, `4.0 MB`. */
export function sizeText(characters: number): string {
  if (characters < 1_000) return `${characters} B`;
  if (characters < 1_000_000) return `${(characters / 1_000).toFixed(1)} kB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}
