import type { Farm } from '../../../client/resources.ts';
import { asString, usePreference } from '../../state/use-preference.ts';

/** Returns the farm of the address, else the farm that was shown last, else the first farm; null without farms. */
export function useChosenFarm(
  named: string,
  farms: readonly Farm[],
): readonly [farm: Farm | null, remember: (id: string) => void] {
  const [lastId, remember] = usePreference('overview.farm', '', asString);
  const of = (id: string): Farm | undefined => farms.find((farm) => farm.id === id);
  return [of(named) ?? of(lastId) ?? farms[0] ?? null, remember];
}
