import { At, Span } from '../time.tsx';
import { summaryOf, type TimelineModel } from './timeline-model.ts';
import './timeline.css';

/** Table with the data of the chart. `laneName` is the header of the lanes: "Worker". */
export function LaneTable({ model, now, laneName }: { model: TimelineModel; now: number; laneName: string }) {
  return (
    <details className="timeline-table">
      <summary>Show as table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{laneName}</th>
            <th scope="col" className="number">
              Tasks
            </th>
            <th scope="col" className="number">
              Failed
            </th>
            <th scope="col" className="number">
              Busy time
            </th>
            <th scope="col">First start</th>
            <th scope="col">Last end</th>
          </tr>
        </thead>
        <tbody>
          {model.lanes.map((lane) => {
            const { count, failed, busyMs, from, to } = summaryOf(lane, now);
            return (
              <tr key={lane.id}>
                <th scope="row">
                  <bdi>{lane.label}</bdi>
                </th>
                <td className="number">{count.toLocaleString('en')}</td>
                <td className="number">{failed.toLocaleString('en')}</td>
                <td className="number">
                  <Span ms={busyMs} />
                </td>
                <td>
                  <At iso={new Date(from).toISOString()} />
                </td>
                <td>
                  {lane.items.some((item) => item.to === null) ? (
                    'running'
                  ) : (
                    <At iso={new Date(to).toISOString()} />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
