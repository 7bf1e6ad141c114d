import { Page } from '../../parts/page.tsx';

export function ComputeLocationsPage() {
  return <Page title="ComputeLocations">{null}</Page>;
}
