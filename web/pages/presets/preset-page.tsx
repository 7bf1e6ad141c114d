import { useQuery } from '@tanstack/react-query';
import { Download, Library, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { PresetDetail } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel, Panels } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, useUrlState } from '../../state/use-url-state.ts';
import { ProductParameters } from '../products/product-parameters.tsx';
import { productHref } from '../products/shown-products.ts';
import { TemplateText } from '../products/template-text.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { PresetFacts, PresetNeeds } from './preset-needs.tsx';
import { UpdateDialog } from './update-dialog.tsx';

const CRUMBS = [{ label: 'Presets', href: '/presets' }];
const TABS = ['overview', 'parameters', 'template'] as const;
const VIEW = { tab: choiceField(TABS, 'overview') };

/** One preset of the library. */
export function PresetPage() {
  const { group = '', name = '' } = useParams<{ group?: string; name: string }>();
  const full = group === '' ? name : `${group}/${name}`;
  return <PresetView key={full} name={full} />;
}

function PresetView({ name }: { name: string }) {
  const { rest } = useService();
  const { data: preset, error, refetch } = useQuery(productQueries.preset(rest, name));
  if (error instanceof ProblemError && (error.status === 404 || error.status === 400)) {
    return (
      <Page title={name} crumbs={CRUMBS}>
        <EmptyState
          title="Preset not found"
          icon={Library}
          actions={<LinkButton href="/presets">Show all presets</LinkButton>}
        >
          {`The library has no preset ${name}.`}
        </EmptyState>
      </Page>
    );
  }
  if (preset === undefined) {
    return (
      <Page title={name} crumbs={CRUMBS}>
        {error === null ? (
          <SkeletonLines lines={8} label="Loading the preset" />
        ) : (
          <QueryProblem error={error} what="the preset" onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={preset.title}
      crumbs={CRUMBS}
      beside={<span className="mono muted">{name}</span>}
      actions={<PresetActions preset={preset} />}
    >
      <PresetTabs preset={preset} />
    </Page>
  );
}

function PresetActions({ preset }: { preset: PresetDetail }) {
  const { can } = usePermissions();
  const [open, setOpen] = useState<'install' | 'update' | null>(null);
  const close = (): void => setOpen(null);
  const { installed, update_available: hasUpdate } = preset;
  return (
    <>
      {installed && <LinkButton href={productHref(preset.name)}>Show product</LinkButton>}
      {can('products.manage') && !installed && (
        <Button look="primary" icon={<Download aria-hidden="true" />} onPress={() => setOpen('install')}>
          Install…
        </Button>
      )}
      {can('products.manage') && hasUpdate && (
        <Button look="primary" icon={<RefreshCw aria-hidden="true" />} onPress={() => setOpen('update')}>
          Update…
        </Button>
      )}
      {open === 'install' && <InstallDialog preset={preset} onClose={close} />}
      {open === 'update' && <UpdateDialog preset={preset} onClose={close} />}
    </>
  );
}

function PresetTabs({ preset }: { preset: PresetDetail }) {
  const [{ tab }, setView] = useUrlState(VIEW);
  return (
    <Tabs
      tabs={[
        { id: 'overview', label: 'Overview' },
        { id: 'parameters', label: 'Parameters', count: preset.parameters.length },
        { id: 'template', label: 'Template' },
      ]}
      current={tab}
      label="Preset details"
      onChange={(chosen) => setView({ tab: TABS.find((each) => each === chosen) ?? 'overview' })}
    >
      {tab === 'overview' && <Overview preset={preset} />}
      {tab === 'parameters' && <ProductParameters parameters={preset.parameters} />}
      {tab === 'template' && <TemplateText text={preset.template} format={preset.format} />}
    </Tabs>
  );
}

function Overview({ preset }: { preset: PresetDetail }) {
  return (
    <div className="stack">
      {preset.description !== '' && <p className="product-description">{preset.description}</p>}
      <Panels>
        <PresetFacts preset={preset} />
        <PresetNeeds preset={preset} />
        <Panel title="Readme" isWide>
          {preset.readme === '' ? (
            <p className="muted">This preset has no readme.</p>
          ) : (
            <Markdown text={preset.readme} />
          )}
        </Panel>
      </Panels>
    </div>
  );
}
