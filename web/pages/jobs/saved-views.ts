/** A saved view: a name, and the query of the address. */
export interface SavedView {
  readonly name: string;
  readonly query: string;
}

const MAX_VIEWS = 50;
const MAX_NAME_LENGTH = 60;

/** Reads stored views; null if the stored value is not a list. */
export function readViews(stored: unknown): readonly SavedView[] | null {
  if (!Array.isArray(stored)) return null;
  const views: SavedView[] = [];
  for (const entry of stored as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { name, query } = entry as Readonly<Record<string, unknown>>;
    if (typeof name === 'string' && name !== '' && typeof query === 'string') views.push({ name, query });
  }
  return views;
}

/** Returns why a name is not valid for a view; empty if it is valid. */
export function nameError(name: string): string {
  if (name.trim() === '') return 'Enter a name.';
  return name.trim().length > MAX_NAME_LENGTH ? `Use at most ${MAX_NAME_LENGTH} characters.` : '';
}

/** Returns the views with one more. It replaces a view of the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const named = { ...view, name: view.name.trim() };
  const others = views.filter(({ name }) => name !== named.name);
  return [...others, named].sort((one, other) => one.name.localeCompare(other.name)).slice(0, MAX_VIEWS);
}

export const withoutView = (views: readonly SavedView[], name: string): readonly SavedView[] =>
  views.filter((view) => view.name !== name);

/** Returns the view of a query. The order of the query parameters does not matter. */
export function currentView(views: readonly SavedView[], query: string): SavedView | undefined {
  const wanted = canonicalQuery(query);
  return views.find((view) => canonicalQuery(view.query) === wanted);
}

function canonicalQuery(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}
