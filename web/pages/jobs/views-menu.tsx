import { Bookmark, Check, Plus, Settings2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button, IconButton, SubmitButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Menu, type MenuAnchor } from '../../parts/menu.tsx';
import { usePreference } from '../../state/use-preference.ts';
import { currentView, nameError, readViews, withView, withoutView, type SavedView } from './saved-views.ts';

const NO_VIEWS: readonly SavedView[] = [];

/** Menu of the views that are saved in this browser. The address of a view works in any browser. */
export function ViewsMenu({ query }: { query: string }) {
  const [, navigate] = useLocation();
  const [views, setViews] = usePreference('jobs.views', NO_VIEWS, readViews);
  const [at, setAt] = useState<MenuAnchor | null>(null);
  const [dialog, setDialog] = useState<'save' | 'manage' | null>(null);
  const current = currentView(views, query);
  const open = (target: string): void => navigate(target === '' ? '/jobs' : `/jobs?${target}`);
  const items = [
    {
      id: 'all',
      label: 'All jobs',
      icon: query === '' ? <Check aria-hidden="true" /> : <span />,
      act: () => open(''),
    },
    ...views.map((view) => ({
      id: `view-${view.name}`,
      label: view.name,
      icon: view === current ? <Check aria-hidden="true" /> : <span />,
      act: () => open(view.query),
    })),
    {
      id: 'save',
      label: 'Save view…',
      icon: <Plus aria-hidden="true" />,
      startsGroup: true,
      disabledReason: query === '' ? 'Filter or sort the jobs first.' : '',
      act: () => setDialog('save'),
    },
    {
      id: 'manage',
      label: 'Manage views…',
      icon: <Settings2 aria-hidden="true" />,
      disabledReason: views.length === 0 ? 'No saved views.' : '',
      act: () => setDialog('manage'),
    },
  ];
  return (
    <>
      <Button
        size="small"
        icon={<Bookmark aria-hidden="true" />}
        onPress={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          setAt({ x: left, y: bottom + 2 });
        }}
      >
        {current?.name ?? 'Views'}
      </Button>
      {at !== null && <Menu items={items} at={at} label="Views" onClose={() => setAt(null)} />}
      {dialog === 'save' && (
        <SaveDialog
          views={views}
          onSave={(name) => setViews(withView(views, { name, query }))}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'manage' && (
        <ManageDialog views={views} onChange={setViews} onClose={() => setDialog(null)} />
      )}
    </>
  );
}

function SaveDialog({
  views,
  onSave,
  onClose,
}: {
  views: readonly SavedView[];
  onSave: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const error = nameError(name);
  const isKnown = views.some((view) => view.name === name.trim());
  return (
    <Dialog
      title="Save view"
      onClose={onClose}
      onSubmit={() => {
        if (error !== '') return;
        onSave(name);
        onClose();
      }}
      foot={
        <>
          <Button onPress={onClose}>Close</Button>
          <SubmitButton disabledReason={error}>{isKnown ? 'Replace view' : 'Save view'}</SubmitButton>
        </>
      }
    >
      <TextField
        label="Name"
        hint="Stores the filters and the sort order in this browser. To share a view, copy its link."
        value={name}
        onChange={setName}
      />
    </Dialog>
  );
}

function ManageDialog({
  views,
  onChange,
  onClose,
}: {
  views: readonly SavedView[];
  onChange: (views: readonly SavedView[]) => void;
  onClose: () => void;
}) {
  return (
    <Dialog title="Saved views" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      <ul className="views-menu__list">
        {views.map((view) => (
          <li key={view.name} className="views-menu__item">
            <span>{view.name}</span>
            <CopyButton text={`${location.origin}/jobs?${view.query}`} label={`Copy link to ${view.name}`} />
            <IconButton
              size="small"
              label={`Delete view ${view.name}`}
              icon={<Trash2 aria-hidden="true" />}
              onPress={() => onChange(withoutView(views, view.name))}
            />
          </li>
        ))}
      </ul>
      {views.length === 0 && <p className="muted">No saved views.</p>}
    </Dialog>
  );
}
