import type { ProblemError } from '../../client/problem.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** Says what another user has set while a form was open, and lets the user decide. */
export function ConflictNotice({
  problem,
  labelOf,
  onOverwrite,
  onTakeOver,
}: {
  readonly problem: ProblemError;
  /** Returns the label of a setting by its name in the REST API. */
  readonly labelOf: (name: string) => string;
  /** Saves the values of the form. */
  readonly onOverwrite: () => void;
  /** Puts the values of the other user into the form. */
  readonly onTakeOver: () => void;
}) {
  return (
    <Notice
      kind="danger"
      title="Another user has changed this meanwhile"
      detail={
        problem.errors.length === 0 ? (
          problem.detail
        ) : (
          <ul>
            {problem.errors.map(({ pointer, detail }) => (
              <li key={pointer}>
                {labelOf(pointer.slice(1))} {detail}
              </li>
            ))}
          </ul>
        )
      }
      requestId={problem.requestId}
    >
      <div className="row">
        <Button size="small" look="danger" onPress={onOverwrite}>
          Overwrite with my values
        </Button>
        <Button size="small" onPress={onTakeOver}>
          Take over the other values
        </Button>
      </div>
    </Notice>
  );
}
