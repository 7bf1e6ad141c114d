import { Page } from '../../parts/page.tsx';

export function FarmsPage() {
  return <Page title="Farms">{null}</Page>;
}
