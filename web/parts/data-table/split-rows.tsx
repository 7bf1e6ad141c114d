import { ArrowLeft, X } from 'lucide-react';
import { useEffect, useRef, type CSSProperties, type MouseEvent, type ReactNode } from 'react';
import { Button, IconButton } from '../button.tsx';
import { classNames } from '../class-names.ts';
import type { RowPane } from './data-table-props.ts';
import { DEFAULT_SPLIT, SHARE, shareAfterKey, shareFrom } from './split-preference.ts';
import type { TableModel } from './use-table-model.ts';
import type { RowPaneModel } from './use-row-pane.ts';
import './split-rows.css';

/** The rows, with the open pane next to them. */
export function SplitRows<Row>({ model, children }: { model: TableModel<Row>; children: ReactNode }) {
  const { pane: state, props } = model;
  const { isOpen, isNarrow, share } = state;
  const opening = useOpeningClick(model);
  if (props.pane === undefined) return children;
  return (
    <div
      className={classNames('split-rows', isOpen && (isNarrow ? 'split-rows--covered' : 'split-rows--open'))}
      style={{ '--split-share': share } as CSSProperties}
      {...opening}
    >
      {children}
      {isOpen && !isNarrow && <Separator state={state} />}
      {isOpen && <Pane state={state} pane={props.pane} />}
    </div>
  );
}

/**
 * Handles the second click of a double click that opens the pane. The pane, which may be under the pointer by then, does not
 * get it; the double click opens the page of the row, as it does in other tables.
 */
function useOpeningClick<Row>({ pane: { isOpen }, shown, open }: TableModel<Row>) {
  /** The row of the last first click, if the pane was closed at that time. */
  const pressed = useRef<Row | undefined>(undefined);
  return {
    onClickCapture: (event: MouseEvent<HTMLElement>): void => {
      if (event.detail > 1 && isOpen && pressed.current !== undefined) {
        event.preventDefault();
        event.stopPropagation();
      } else if (event.detail <= 1) {
        const row =
          event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null;
        pressed.current = isOpen || row === null ? undefined : shown.row(Number(row.dataset['index']));
      }
    },
    onDoubleClickCapture: (event: MouseEvent<HTMLElement>): void => {
      if (!isOpen || pressed.current === undefined) return;
      event.stopPropagation();
      open(pressed.current);
    },
  };
}

function Separator({ state: { id, share, resize } }: { state: RowPaneModel }) {
  return (
    <div
      role="separator"
      tabIndex={0}
      className="split-rows__separator"
      aria-label="Width of the pane in percent"
      aria-orientation="vertical"
      aria-controls={id}
      aria-valuenow={share}
      aria-valuemin={SHARE.min}
      aria-valuemax={SHARE.max}
      onKeyDown={(event) => {
        const next = shareAfterKey(share, event.key);
        if (next === null) return;
        event.preventDefault();
        resize(next);
      }}
      onPointerDown={(event) => {
        if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const { currentTarget: separator, pointerId, clientX } = event;
        const frame = separator.parentElement;
        if (frame === null || !separator.hasPointerCapture(pointerId)) return;
        const next = shareFrom(clientX, frame.getBoundingClientRect());
        if (next !== share) resize(next);
      }}
      onDoubleClick={() => resize(DEFAULT_SPLIT.share)}
    />
  );
}

function Pane({ state: { id, isNarrow, close }, pane }: { state: RowPaneModel; pane: RowPane }) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = element;
    if (isNarrow) {
      current?.focus({ preventScroll: true });
      current?.scrollIntoView({ block: 'start', behavior: 'instant' });
      // The wheel over the rows and the pane scrolls them, not the page.
    } else current?.parentElement?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }, [isNarrow]);
  return (
    <section ref={element} id={id} className="split-rows__pane" aria-label={pane.label} tabIndex={-1}>
      <div className="split-rows__bar">
        {isNarrow ? (
          <Button size="small" icon={<ArrowLeft aria-hidden="true" />} onPress={close}>
            Back
          </Button>
        ) : (
          <>
            <span className="muted">{pane.label}</span>
            <IconButton size="small" label="Close pane" icon={<X aria-hidden="true" />} onPress={close} />
          </>
        )}
      </div>
      {pane.content}
    </section>
  );
}
