/**
 * Applies `act` to each item, at most `atOnce` in parallel. Resolves with the results in order; rejects with the
 * first error.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await act(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
  return results;
}
