import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../button.tsx';
import { statusColor } from '../status-badge.tsx';
import { statusStyle } from '../status-looks.ts';
import { durationText } from '../time-text.ts';
import { useUtc } from '../time.tsx';
import { TimelineChart, ZOOM_STEP } from './timeline-chart.tsx';
import { endOf, type TimelineItem, type TimelineModel } from './timeline-model.ts';
import { TEXTS, useTimelineState, type TimelineProps, type Zoom } from './use-timeline-state.ts';
import './timeline.css';

/**
 * A chart with one bar per item and one lane per worker. Dragging moves it in time; Ctrl and the wheel, + and - zoom. Arrow
 * keys move between bars; Enter or a click opens one.
 */
export function Timeline(props: TimelineProps) {
  const { model, now } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = useTimelineState(props, scroller, canvas);
  const { marked } = state;
  return (
    <div className="timeline">
      <div className="timeline__bar">
        <div className="timeline__details" aria-live="polite">
          {marked === null ? (
            <span className="muted">
              Drag to move in time. Ctrl and the wheel zoom. Arrow keys move between tasks.
            </span>
          ) : (
            <ItemDetails item={marked} lane={laneLabel(model, marked)} now={now} />
          )}
        </div>
        <ZoomButtons zoom={state.zoom} />
      </div>
      <TimelineChart props={props} state={state} scroller={scroller} canvas={canvas} />
      <Legend model={model} />
    </div>
  );
}

function ZoomButtons({ zoom: { view, isWhole, setView, zoomAt } }: { zoom: Zoom }) {
  const middle = (view.from + view.to) / 2;
  const disabledReason = isWhole ? 'The whole timeline is shown.' : '';
  return (
    <>
      <IconButton
        label="Zoom in"
        size="small"
        icon={<ZoomIn aria-hidden="true" />}
        onPress={() => zoomAt(ZOOM_STEP, middle)}
      />
      <IconButton
        label="Zoom out"
        size="small"
        icon={<ZoomOut aria-hidden="true" />}
        disabledReason={disabledReason}
        onPress={() => zoomAt(1 / ZOOM_STEP, middle)}
      />
      <IconButton
        label="Show the whole timeline"
        size="small"
        icon={<Maximize aria-hidden="true" />}
        disabledReason={disabledReason}
        onPress={() => setView(null)}
      />
    </>
  );
}

/** Legend of the statuses that occur. */
function Legend({ model }: { model: TimelineModel }) {
  const statuses = [...new Set(model.rows.flatMap((row) => row.map(({ status }) => status)))].sort();
  return (
    <ul className="timeline__legend">
      {statuses.map((status) => {
        const { label, color } = statusStyle('task', status);
        return (
          <li key={status} style={statusColor(color)}>
            {label}
          </li>
        );
      })}
    </ul>
  );
}

const laneLabel = (model: TimelineModel, item: TimelineItem): string =>
  model.lanes.find(({ id }) => id === item.lane)?.label ?? '';

function ItemDetails({ item, lane, now }: { item: TimelineItem; lane: string; now: number }) {
  const [isUtc] = useUtc();
  const text = TEXTS.second[isUtc ? 'utc' : 'local'];
  const { label } = statusStyle('task', item.status);
  return (
    <>
      <bdi>
        <strong>{item.name}</strong>
      </bdi>{' '}
      <span className="muted">
        {label} · <bdi>{lane}</bdi> · {text.format(item.from)}
        {item.to === null ? ' until now' : ` to ${text.format(item.to)}`} ·{' '}
        {durationText(endOf(item, now) - item.from)}
      </span>
    </>
  );
}
