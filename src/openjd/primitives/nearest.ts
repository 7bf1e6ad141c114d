/** Longer words and longer lists are not searched, so that suggestions stay cheap. */
const MAX_WORD = 80;
const MAX_CANDIDATES = 500;
/** Shorter words begin many others. */
const MIN_PREFIX = 3;

/** Returns the candidate nearest to the word (edit distance, at most a third of its length), or null. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length === 0 || word.length > MAX_WORD) return null;
  let best: string | null = null;
  // A word of one letter is near to every other one.
  let bestDistance = Math.min(word.length, Math.max(1, Math.floor(word.length / 3)) + 1);
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Returns `; did you mean "x"?` or an empty text. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === null ? '' : `; did you mean "${near}"?`;
}

/** Returns the candidate that begins with the word or that the word begins with, ignoring case, else the nearest; null if none is near. */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  const lower = word.toLowerCase();
  const begins = candidates.find((candidate) => {
    const other = candidate.toLowerCase();
    return lower.length >= MIN_PREFIX && (other.startsWith(lower) || lower.startsWith(other));
  });
  return begins ?? nearest(word, candidates);
}

/** Returns the number of characters to insert, delete, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforePrevious: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const substituted = (previous[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? (beforePrevious[j - 1] ?? 0) + 1 : substituted;
      row.push(Math.min(substituted, swapped, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
