import { Page } from '../../parts/page.tsx';

export function StorageLocationsPage() {
  return <Page title="StorageLocations">{null}</Page>;
}
