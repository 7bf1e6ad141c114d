/** Maximum number of edits at which a name still counts as a misspelling. */
const DISTANCE_MAX = 4;

/** Returns the number of characters to insert, delete or replace to turn one text into the other. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}

/** Returns the name that was probably meant, or null if none is close. */
export function nearestName(given: string, names: Iterable<string>): string | null {
  if (given.length > 100) return null;
  let best: string | null = null;
  let bestDistance = Math.min(DISTANCE_MAX, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given, name);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}
