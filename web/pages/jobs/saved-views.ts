/** A view that somebody wants to come back to: a name, and the query of its address. */
export interface SavedView {
  readonly name: string;
  readonly query: string;
}

const VIEWS_MAX = 50;
const VIEW_NAME_MAX = 60;

/** What was kept; null when it is no list of views. */
export function readViews(kept: unknown): readonly SavedView[] | null {
  if (!Array.isArray(kept)) return null;
  const views: SavedView[] = [];
  for (const entry of kept as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { name, query } = entry as Readonly<Record<string, unknown>>;
    if (typeof name === 'string' && name !== '' && typeof query === 'string') views.push({ name, query });
  }
  return views;
}

/** Why a view cannot have the name; empty when it can. */
export function nameFault(name: string): string {
  if (name.trim() === '') return 'Give it a name.';
  return name.trim().length > VIEW_NAME_MAX ? `At most ${VIEW_NAME_MAX} characters.` : '';
}

/** The views with another one; it takes the place of one of the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const named = { ...view, name: view.name.trim() };
  const others = views.filter(({ name }) => name !== named.name);
  return [...others, named].sort((one, other) => one.name.localeCompare(other.name)).slice(0, VIEWS_MAX);
}

export const withoutView = (views: readonly SavedView[], name: string): readonly SavedView[] =>
  views.filter((view) => view.name !== name);

/** The view that is shown; the order of the names in a query does not matter. */
export function currentView(views: readonly SavedView[], query: string): SavedView | undefined {
  const shown = canonical(query);
  return views.find((view) => canonical(view.query) === shown);
}

function canonical(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}
