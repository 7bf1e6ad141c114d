import { Page } from '../../parts/page.tsx';

export function TaskPage() {
  return <Page title="Task">{null}</Page>;
}
