import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { User } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useService } from '../../state/service.tsx';
import { explained } from '../../state/toasts.ts';
import { newPasswordError } from '../account/password-form.ts';
import { NewPasswordField, usePasswordMin } from './new-password-field.tsx';

/** Sets the password of a local account. */
export function PasswordDialog({
  user: { id, username },
  onDone,
  onClose,
}: {
  user: User;
  onDone: (text: string) => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  const min = usePasswordMin();
  const [password, setPassword] = useState('');
  const [isTried, setIsTried] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const own = newPasswordError(password, min);
  const refused =
    error instanceof ProblemError ? error.errors.find(({ pointer }) => pointer === '/password') : undefined;
  const save = async (): Promise<void> => {
    setIsTried(true);
    if (isBusy || own !== '') return;
    setIsBusy(true);
    setError(null);
    try {
      await rest.call('put', '/users/{id}/password', { path: { id }, body: { password } });
      onDone(`Password of ${username} changed`);
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={`Reset the password of ${username}`}
      onClose={onClose}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy}>Reset password</SubmitButton>
        </>
      }
    >
      {error !== null && refused === undefined && <Notice kind="danger" {...explained(error)} />}
      <p>Ends all sessions of the account. Its API keys remain valid.</p>
      <NewPasswordField
        value={password}
        error={refused?.detail ?? (isTried ? own : '')}
        onChange={setPassword}
      />
    </Dialog>
  );
}
