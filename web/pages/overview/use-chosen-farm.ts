import type { Farm } from '../../../client/resources.ts';
import { asString, usePreference } from '../../state/use-preference.ts';

/** The farm that the address names, or the one that was looked at last, or the first; null when there is none. */
export function useChosenFarm(
  named: string,
  farms: readonly Farm[],
): readonly [farm: Farm | null, remember: (id: string) => void] {
  const [kept, keep] = usePreference('overview.farm', '', asString);
  const of = (id: string): Farm | undefined => farms.find((farm) => farm.id === id);
  return [of(named) ?? of(kept) ?? farms[0] ?? null, keep];
}
