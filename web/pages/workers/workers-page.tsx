import { Page } from '../../parts/page.tsx';

export function WorkersPage() {
  return <Page title="Workers">{null}</Page>;
}
